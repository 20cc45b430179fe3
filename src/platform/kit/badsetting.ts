// A wrong setting, which the operator must correct. The command line prints the message without a stack trace.

export class BadSetting extends Error {}
