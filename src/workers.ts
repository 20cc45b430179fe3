// The loops of this process. Each does a little, rests, and can be drained; a failure is logged and the loop goes on.

import type { Log } from './observe/log.ts'
import { StorageUnavailable } from './storage/storage.ts'

export interface Loop {
  name: string
  everyMs: number
  // Work of many rounds asks between them whether it is to end.
  work: (isEnding: () => boolean) => Promise<void>
}

export interface Workers {
  // Lets each loop finish what it is doing, and once more do its work if `last` is asked for.
  drain(): Promise<void>
}

export function startWorkers(loops: readonly Loop[], log: Log): Workers {
  const running = loops.map((loop) => startLoop(loop, log))
  return { drain: async () => void (await Promise.all(running.map((stop) => stop()))) }
}

function startLoop({ name, everyMs, work }: Loop, log: Log): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let round: Promise<void> = Promise.resolve()

  function rest(): void {
    if (stopped) return
    timer = setTimeout(() => {
      round = turn().finally(rest)
    }, everyMs)
    timer.unref()
  }

  async function turn(): Promise<void> {
    try {
      await work(() => stopped)
    } catch (error) {
      // It passes, and whoever runs the database knows.
      if (error instanceof StorageUnavailable) log.warn('storage unavailable', { loop: name, reason: error.message })
      else log.error('a loop failed and will try again', error, { loop: name })
    }
  }

  rest()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await round
  }
}

// A round that was full leaves more waiting, so that another follows at once, for a while and until the loop is to end.
export async function catchUp(full: number, isEnding: () => boolean, round: () => Promise<number>): Promise<void> {
  for (let rounds = 0; rounds < roundsMax && !isEnding(); rounds += 1) if ((await round()) < full) return
}

const roundsMax = 20
