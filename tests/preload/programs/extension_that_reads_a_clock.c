/* An extension of Python's that asks Python for the time, as Cython's do, and calls back what it is
   handed. Without Python.h, which not every machine has: the interpreter exports these. */
typedef struct object Object;
extern Object* PyImport_ImportModule(const char* name);
extern Object* PyObject_CallMethod(Object* object, const char* name, const char* format, ...);
extern Object* PyObject_CallNoArgs(Object* function);

Object* read_clock(void) { return PyObject_CallMethod(PyImport_ImportModule("time"), "time", ""); }
Object* call_back(Object* function) { return PyObject_CallNoArgs(function); }
