// Linked by lookups.cpp after lookup_first.cpp.
extern "C" int wrapped_value() { return 3; }
