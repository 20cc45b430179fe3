// The shape that all errors share.

import { type AnyIssueValues, openInterfaceIssueCodes } from './issues.ts'
import { limits } from './limits.ts'
import { Count, RequestId, Scope, Version } from './parts.ts'
import { openInterfaceRefusalCodes } from './refusals.ts'
import { nullable, object, oneOf, type Static, Type } from './schema.ts'

export const ErrorCode = oneOf(openInterfaceRefusalCodes, { description: 'Stable, for programs.' })

export const ErrorIssue = issueSchema(openInterfaceIssueCodes)

// `codes`: the issue codes of the surface.
export function issueSchema<const Codes extends readonly string[]>(codes: Codes) {
  return object({
    path: Type.String({
      description: 'JSON Pointer into the body; /query/… and /headers/… outside of it.',
      maxLength: 1000,
    }),
    code: oneOf(codes, { description: 'The rule that is broken. Stable, for programs.' }),
    values: Type.Unsafe<AnyIssueValues>({
      type: 'object',
      description: 'The values of the rule, such as max.',
      additionalProperties: {
        anyOf: [
          { type: 'string', maxLength: limits.issueLengthMax },
          { type: 'integer' },
          { type: 'array', items: { type: 'string' } },
        ],
      },
      maxProperties: 10,
    }),
    message: Type.String({
      description: 'The rule in words, for people; may change.',
      maxLength: limits.issueLengthMax,
    }),
  })
}

// Present state that helps the caller to recover. Members that do not apply are left out; other schemas set them to null.
export const ErrorCurrent = object(
  {
    status: Type.Optional(Type.String({ description: 'Present status of the resource.' })),
    version: Type.Optional(Version),
    available: Type.Optional(Count),
    limit: Type.Optional(Count),
    skuId: Type.Optional(Type.String()),
    reason: Type.Optional(Type.String({ description: 'Why the present state does not allow it.' })),
    requiredScope: Type.Optional(Scope),
  },
  { description: 'The present state, as far as it helps to go on. Only members that apply are there.' },
)

export const PublicErrorResponse = object({
  error: object({
    code: ErrorCode,
    message: Type.String({ description: 'For people; may change.' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The status of the answer.' }),
    requestId: RequestId,
    issues: Type.Array(ErrorIssue, {
      maxItems: limits.issuesMax,
      description: 'Each place where the request is wrong.',
    }),
    current: nullable(ErrorCurrent),
  }),
})

export type ErrorIssue = Static<typeof ErrorIssue>
export type ErrorCurrent = Static<typeof ErrorCurrent>
export type PublicErrorResponse = Static<typeof PublicErrorResponse>
