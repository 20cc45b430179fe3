// Errors in the form of the Agentic Commerce Protocol: an object without nesting. Pure.

import { acpVersion } from '../../../contract/agents/settings.ts'
import type { PlacedIssue } from '../error.ts'

export interface AcpErrorInput {
  status: number
  code: string
  message: string
  issues: readonly PlacedIssue[]
}

// UCP codes of errors about callers that ACP does not define, and the ACP codes that are sent instead.
const codes: Readonly<Record<string, string>> = { profile_not_trusted: 'forbidden' }

export function acpError({ status, code, message, issues }: AcpErrorInput): object {
  const [first] = issues
  return {
    type: status === 503 ? 'service_unavailable' : status >= 500 ? 'processing_error' : 'invalid_request',
    code: codes[code] ?? code,
    message,
    ...(first && { param: jsonPathOf(first.path) }),
    ...(code.endsWith('_api_version') && { supported_versions: [acpVersion] }),
  }
}

// Converts a JSON Pointer to a JSONPath: `/line_items/0/id` is `$.line_items[0].id`.
function jsonPathOf(pointer: string): string {
  return `$${pointer.replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]').replaceAll('/', '.')}`
}
