// The output of the log. A thread of the pool writes one block at a time, so a full disk, or a reader that is slow or gone, does not
// block the server. What cannot be written yet waits in bounded memory and is retried. If this memory is full, new lines are refused, and
// the caller counts them.

import { write } from 'node:fs'

export interface Sink {
  // Accepts whole lines. Returns false if there is no room for them. Neither throws nor waits.
  write(lines: string): boolean
  // Resolves when everything is written, when the time limit is up, or when a write fails for a reason other than a full pipe.
  drain(limitMs: number): Promise<void>
}

export interface SinkOptions {
  bytesMax?: number
}

const retryMsMax = 1_000

// Four megabytes are some seconds of log lines on a busy server.
export function createSink(fd: number, { bytesMax = 4_194_304 }: SinkOptions = {}): Sink {
  const waiting: Buffer[] = []
  let bytes = 0
  let isWriting = false
  let retryMs = 0
  let retry: NodeJS.Timeout | undefined
  let drained: (() => void) | undefined

  function pump(): void {
    const [head] = waiting
    if (isWriting || retry) return
    if (!head) {
      drained?.()
      return
    }
    isWriting = true
    write(fd, head, (error, written) => {
      isWriting = false
      if (error) {
        wait(error)
        return
      }
      retryMs = 0
      bytes -= written
      // The rest of a partly written block comes first, so lines stay whole.
      if (written < head.length) waiting[0] = head.subarray(written)
      else waiting.shift()
      pump()
    })
  }

  // The reader of a full pipe (EAGAIN) may read in a moment. A full disk or a closed pipe may take longer to recover.
  function wait({ code }: NodeJS.ErrnoException): void {
    if (code !== 'EAGAIN') drained?.()
    retryMs = Math.min(Math.max(10, retryMs * 2), code === 'EAGAIN' ? 50 : retryMsMax)
    retry = setTimeout(tryAgain, retryMs)
    retry.unref()
  }

  function tryAgain(): void {
    clearTimeout(retry)
    retry = undefined
    pump()
  }

  return {
    write(lines) {
      const chunk = Buffer.from(lines)
      if (bytes + chunk.length > bytesMax) return false
      bytes += chunk.length
      waiting.push(chunk)
      pump()
      return true
    },
    async drain(limitMs) {
      if (waiting.length === 0) return
      let limit: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        drained = resolve
        limit = setTimeout(resolve, limitMs)
        tryAgain()
      })
      drained = undefined
      clearTimeout(limit)
    },
  }
}
