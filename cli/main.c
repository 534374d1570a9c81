#include <stdio.h>

#include "jostle/jostle.h"

int main(void)
{
    printf("jostle %s\n", jo_version());
    return 0;
}
