// What is wrong with a request of an agent: its status, and a code and a sentence for people who write clients. Each protocol says it in its
// own form.

// Where in the body it is, as a JSON Pointer, with what is said about it.
export interface PlacedIssue {
  path: string
}

export class AgentError extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>
  readonly issues: readonly PlacedIssue[]
  constructor(
    status: number,
    code: string,
    content: string,
    { headers = {}, issues = [] }: { headers?: Readonly<Record<string, string>>; issues?: readonly PlacedIssue[] } = {},
  ) {
    super(content)
    this.status = status
    this.code = code
    this.headers = headers
    this.issues = issues
  }
}
