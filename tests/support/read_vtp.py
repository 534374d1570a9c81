#!/usr/bin/env python3
"""Reads a VTP file with raw appended data (a small parser of its own) and prints a JSON object:
counts, and for each array its first and last tuple and its sum. read_vtp.py FILE"""
import json
import re
import struct
import sys
import xml.etree.ElementTree as tree

TYPES = {"Float64": ("d", 8), "Int64": ("q", 8), "UInt32": ("I", 4), "UInt8": ("B", 1)}


def main():
    data = open(sys.argv[1], "rb").read()
    start = data.index(b"<AppendedData")
    raw = data.index(b"_", start) + 1
    assert data.endswith(b"\n</AppendedData>\n</VTKFile>\n")
    xml = tree.fromstring(data[:start] + b"</VTKFile>")
    assert xml.attrib["header_type"] == "UInt64" and xml.attrib["byte_order"] == "LittleEndian"
    piece = xml.find("PolyData/Piece")
    count = {k: int(v) for k, v in piece.attrib.items()}
    cells = count["NumberOfVerts"] + count["NumberOfLines"] + count["NumberOfPolys"]
    expected = {"PointData": count["NumberOfPoints"], "CellData": cells, "Points": count["NumberOfPoints"]}
    result, end = {"counts": count, "arrays": {}}, 0
    for part in piece:
        for array in part:
            letter, size = TYPES[array.attrib["type"]]
            at = raw + int(array.attrib["offset"])
            assert int(array.attrib["offset"]) == end, "offsets follow one another"
            (length,) = struct.unpack_from("<Q", data, at)
            end = int(array.attrib["offset"]) + 8 + length
            values = struct.unpack_from("<%d%s" % (length // size, letter), data, at + 8)
            components = int(array.attrib["NumberOfComponents"])
            if part.tag in expected:
                assert len(values) == expected[part.tag] * components, array.attrib["Name"]
            elif array.attrib["Name"] == "offsets":
                assert len(values) == count["NumberOf" + part.tag]
            else:
                assert all(0 <= v < count["NumberOfPoints"] for v in values)
            result["arrays"][part.tag + "/" + array.attrib["Name"]] = {
                "tuples": len(values) // components, "first": values[:components],
                "last": values[-components:], "sum": sum(values)}
    assert raw + end + len(b"\n</AppendedData>\n</VTKFile>\n") == len(data), "nothing between"
    time = xml.find("PolyData/FieldData/DataArray")
    result["time"] = float(time.text) if time is not None else None
    print(json.dumps(result, separators=(",", ":")))


main()
