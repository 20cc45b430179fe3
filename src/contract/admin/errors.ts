// Errors of the admin surface: the shape of all errors, with more codes, and with the present state of the resource in `current`.

import { issueSchema } from '../errors.ts'
import { issueCodes } from '../issues.ts'
import { limits } from '../limits.ts'
import { RequestId } from '../parts.ts'
import { nullable, object, oneOf, type Static, Type } from '../schema.ts'
import { adminRefusalCodes } from './operations.ts'

export const AdminErrorCode = oneOf(adminRefusalCodes, { description: 'Stable, for programs.' })

export const AdminErrorIssue = issueSchema(issueCodes)

export const AdminErrorResponse = object({
  error: object({
    code: AdminErrorCode,
    message: Type.String({ description: 'For people; may change.' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The status of the answer.' }),
    requestId: RequestId,
    issues: Type.Array(AdminErrorIssue, {
      maxItems: limits.issuesMax,
      description: 'Each place where the request is wrong.',
    }),
    current: nullable(Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object' }), {
      description:
        'What helps to go on: the present version and status, requiredScope, or the thing as it is now after version_conflict.',
    }),
  }),
})

export type AdminErrorResponse = Static<typeof AdminErrorResponse>
