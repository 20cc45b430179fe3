// A process that answers questions, over Node's channel between parent and child.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'

export interface Talker {
  ask<T>(question: string, given?: object): Promise<T>
  end(): Promise<void>
}

interface Asked {
  number: number
  question: string
  given: object
}

interface Answered {
  number: number
  answer?: unknown
  problem?: string
}

// Like `startTalker`, for attackers: they would have machines of their own, so what they cost here must not be measured.
export function startAttacker(script: string): Talker {
  return startTalker(script, [], constants.priority.PRIORITY_LOW)
}

// `script` is a file of this folder that calls `answerQuestions`.
export function startTalker(script: string, args: readonly string[] = [], priority = 0): Talker {
  const child: ChildProcess = fork(join(import.meta.dirname, script), [...args], {
    execArgv: ['--disable-warning=ExperimentalWarning', '--expose-gc'],
  })
  if (priority !== 0 && child.pid !== undefined) setPriority(child.pid, priority)
  return talkerOf(child, script)
}

// For a process that has such a channel and calls `answerQuestions`.
export function talkerOf(child: ChildProcess, script: string): Talker {
  const closed = once(child, 'close')
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let asked = 0
  child.on('message', (message) => {
    const { number, answer, problem } = message as Answered
    const waiter = waiting.get(number)
    waiting.delete(number)
    if (problem === undefined) waiter?.resolve(answer)
    else waiter?.reject(new Error(`${script}: ${problem}`))
  })
  child.on('close', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${script} ended with ${code}`))
  })
  return {
    async ask<T>(question: string, given: object = {}) {
      const waiter = Promise.withResolvers<unknown>()
      asked += 1
      waiting.set(asked, waiter)
      child.send({ number: asked, question, given } satisfies Asked, (error) => error && waiter.reject(error))
      // The script and its caller agree on the type of an answer.
      return (await waiter.promise) as T
    },
    async end() {
      child.kill('SIGKILL')
      await closed
    },
  }
}

export type Answers = Readonly<Record<string, (given: never) => unknown>>

// Ends with its parent, so an interrupted run leaves no process behind.
export function answerQuestions(answers: Answers): void {
  process.on('message', async (message) => {
    const { number, question, given } = message as Asked
    try {
      const answer = await answers[question]?.(given as never)
      process.send?.({ number, answer } satisfies Answered)
    } catch (error) {
      process.send?.({ number, problem: String(error) } satisfies Answered)
    }
  })
  process.on('disconnect', () => process.exit(0))
}

// Memory in use after a full collection; the process must have been started with `--expose-gc`.
export function liveBytes(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

// One clock for all processes of this machine.
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
