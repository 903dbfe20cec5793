#pragma once

#ifdef __cplusplus
extern "C"
#endif
    unsigned long
    drawn_value(void);
