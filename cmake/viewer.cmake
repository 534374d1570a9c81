# The viewer: libwebsockets, and the page of web/ bundled into one script (esbuild, with three.js that
# npm fetches as web/package-lock.json says) and made part of the program. Where one of them is missing
# the program is built without it and says so. Sets JOSTLE_VIEWER_FOUND, JOSTLE_VIEWER_WHY_NOT and the
# target jostle_viewer_page with the source that holds the page.
set(JOSTLE_VIEWER_FOUND FALSE)
set(JOSTLE_VIEWER_WHY_NOT "")
set(web ${PROJECT_SOURCE_DIR}/web)
set(page ${PROJECT_BINARY_DIR}/web)

if(PkgConfig_FOUND)
  pkg_check_modules(WEBSOCKETS QUIET IMPORTED_TARGET libwebsockets)
endif()
find_program(ESBUILD esbuild)
find_program(NPM npm)
if(NOT WEBSOCKETS_FOUND)
  set(JOSTLE_VIEWER_WHY_NOT "libwebsockets is not installed")
elseif(NOT Threads_FOUND)
  set(JOSTLE_VIEWER_WHY_NOT "there are no threads")
elseif(NOT ESBUILD)
  set(JOSTLE_VIEWER_WHY_NOT "esbuild is not installed")
elseif(NOT NPM)
  set(JOSTLE_VIEWER_WHY_NOT "npm is not installed")
endif()

# Packages are fetched when the build is configured, and again when the lock changes.
if(NOT JOSTLE_VIEWER_WHY_NOT)
  file(SHA256 ${web}/package-lock.json lock)
  set(stamp ${page}/fetched-${lock})
  if(NOT EXISTS ${stamp})
    file(MAKE_DIRECTORY ${page})
    file(COPY ${web}/package.json ${web}/package-lock.json ${web}/.npmrc DESTINATION ${page})
    execute_process(COMMAND ${NPM} ci --prefer-offline --no-audit --no-fund --ignore-scripts
      WORKING_DIRECTORY ${page} RESULT_VARIABLE npm_failed OUTPUT_QUIET ERROR_VARIABLE npm_said TIMEOUT 120)
    if(npm_failed)
      set(JOSTLE_VIEWER_WHY_NOT "npm could not fetch what web/package-lock.json lists")
      message(VERBOSE "${npm_said}")
    else()
      file(TOUCH ${stamp})
    endif()
  endif()
endif()

if(JOSTLE_VIEWER_WHY_NOT)
  message(STATUS "The viewer is left out: ${JOSTLE_VIEWER_WHY_NOT}")
else()
  set(JOSTLE_VIEWER_FOUND TRUE)
  file(GLOB page_sources CONFIGURE_DEPENDS ${web}/src/*.js ${web}/src/*.css)
  add_custom_command(OUTPUT ${page}/app.js ${page}/app.css
    COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=${page}/node_modules ${ESBUILD} ${web}/src/app.js
      --bundle --minify --format=esm --target=es2020 --legal-comments=eof --log-level=warning --outdir=${page}
    DEPENDS ${page_sources} ${stamp} VERBATIM COMMENT "Bundling the viewer's page")
  file(GLOB thumbnails CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scenes/thumbnails/*.png)
  set(thumbnail_files "")
  foreach(picture ${thumbnails})
    get_filename_component(name ${picture} NAME)
    string(APPEND thumbnail_files ";/thumbnails/${name}=image/png=${picture}")
  endforeach()
  add_custom_command(OUTPUT ${page}/viewer_assets.c
    COMMAND ${CMAKE_COMMAND} -DOUT=${page}/viewer_assets.c
      "-DFILES=/=text/html=${web}/index.html;/app.js=text/javascript=${page}/app.js;/app.css=text/css=${page}/app.css;/icon.svg=image/svg+xml=${web}/icon.svg${thumbnail_files}"
      -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${page}/app.js ${page}/app.css ${web}/index.html ${web}/icon.svg ${thumbnails}
      ${PROJECT_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
endif()
