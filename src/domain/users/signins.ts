// The SQL of the limits on signing in: buckets that all nodes share.

import { clockSkewMsMax } from '../../platform/kit/instant.ts'
import type { Tx } from '../../platform/storage/storage.ts'

export interface SignInLimit {
  burst: number
  everyMs: number
}

// Takes one attempt from the bucket; returns false if none was left. Computes like platform/access/throttle.ts, but in one statement, so
// nodes share the count. If the stored time is further ahead than a whole burst, the clock was set back since, and the time counts as one
// burst.
export async function takeSignInAttempt(
  tx: Tx,
  bucket: string,
  { burst, everyMs }: SignInLimit,
  now: number,
): Promise<boolean> {
  const fullMax = now + burst * everyMs
  const rows = await tx.sql`
    insert into sign_in_limits (bucket, full_at) values (${bucket}, ${now + everyMs})
    on conflict (bucket) do update set full_at = case
        when sign_in_limits.full_at < ${now} then ${now + everyMs}
        when sign_in_limits.full_at > ${fullMax} then ${fullMax}
        else sign_in_limits.full_at + ${everyMs} end
      where sign_in_limits.full_at <= ${fullMax - everyMs} or sign_in_limits.full_at > ${fullMax + clockSkewMsMax}
    returning bucket`
  return rows.length > 0
}

export async function returnSignInAttempt(tx: Tx, bucket: string, everyMs: number): Promise<void> {
  await tx.sql`update sign_in_limits set full_at = full_at - ${everyMs} where bucket = ${bucket}`
}

// A full bucket is equivalent to a missing one.
export async function deleteFullSignIns(tx: Tx, now: number, rowsMax: number): Promise<number> {
  const rows = await tx.sql`
    delete from sign_in_limits where full_at <= ${now} and bucket in (
      select bucket from sign_in_limits where full_at <= ${now} order by full_at limit ${rowsMax})
    returning bucket`
  return rows.length
}
