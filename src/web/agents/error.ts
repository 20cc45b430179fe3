// Errors in requests of agents: the status, and a code and a sentence for developers of clients. Each protocol renders them in its own
// form.

// An issue with its place in the body, as a JSON Pointer. Protocols may also send its other members.
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
