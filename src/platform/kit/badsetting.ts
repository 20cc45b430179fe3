// A setting that an operator has to correct. The command line prints its sentence and no stack.

export class BadSetting extends Error {}
