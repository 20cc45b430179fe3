// Where the lines of the log go. A write is done by a thread of the pool and there is never more than one, so that a full
// disk, a stalled reader or a gone one holds up nobody: what cannot be written now waits here, in bounded memory, and is
// tried again. When there is no room left, the newest lines are refused, and whoever brought them counts them.

import { write } from 'node:fs'

export interface Sink {
  // Takes whole lines; false when there is no room for them. Never throws, never waits.
  write(lines: string): boolean
  // Answers when all is written, when the limit has passed, or when a write fails for good.
  drain(limitMs: number): Promise<void>
}

export interface SinkOptions {
  bytesMax?: number
}

const retryMsMax = 1_000

// Four megabytes are some seconds of a busy server.
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
      // What is left of a line comes before anything else, so that lines stay whole.
      if (written < head.length) waiting[0] = head.subarray(written)
      else waiting.shift()
      pump()
    })
  }

  // A full pipe (EAGAIN) may be read in a moment; a full disk or a reader that is gone, perhaps in a while.
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
