// A wrong setting that the operator must correct. The command line prints its message without a stack trace.

export class BadSetting extends Error {}
