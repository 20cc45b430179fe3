// Makes smaller copies of pictures in a separate process (decoder.js), one picture at a time. The process is started on demand and ended
// when it is idle. Its library (sharp) is optional; without it nothing is decoded.

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'

export type CopyKind = 'avif' | 'webp'

export interface PictureCopy {
  kind: CopyKind
  width: number
  bytes: Buffer
}

export interface PictureCopies {
  copies: readonly PictureCopy[]
  // Main colour of the picture, as #rrggbb. Null if the picture has transparent parts.
  color: string | null
}

export const copyProblems = [
  ...['unreadable', 'animated', 'too_many_pixels'],
  ...['too_slow', 'too_much_memory', 'crashed'],
] as const
export type CopyProblem = (typeof copyProblems)[number]

export interface Copier {
  isAvailable(): Promise<boolean>
  copiesOf(bytes: Buffer): Promise<PictureCopies | CopyProblem>
  close(): void
}

export interface CopierOptions {
  pixelsMax?: number
  memoryBytesMax?: number
  pictureMsMax?: number
  // Path of the decoder program; replaced by tests.
  program?: string
}

// Widths of the copies, in pixels.
export const copyWidths = [160, 480, 960, 1600] as const

const idleMs = 20_000
const startMsMax = 30_000
// After this many failed starts, the library counts as missing.
const silencesMax = 5

interface Answer {
  id: number
  value?: unknown
  problem?: CopyProblem
}

export function createCopier({
  pixelsMax = 50_000_000,
  memoryBytesMax = 640 * 2 ** 20,
  pictureMsMax = 60_000,
  program = join(import.meta.dirname, 'decoder.js'),
}: CopierOptions = {}): Copier {
  const decoder = new Decoder(program, JSON.stringify({ pixelsMax, memoryBytesMax, widths: copyWidths }), pictureMsMax)
  return {
    isAvailable: () => decoder.isAvailable(),
    async copiesOf(bytes) {
      const value = await decoder.ask(bytes)
      if (typeof value === 'string') return value as CopyProblem
      const { copies, color } = value as PictureCopies
      return { color, copies: copies.map((copy) => ({ ...copy, bytes: Buffer.from(copy.bytes) })) }
    },
    close: () => decoder.close(),
  }
}

interface Running {
  child: ChildProcess
  word: Promise<FirstWord>
}

// Whether the library is installed. silent: the process did not start, or not in time, which may be temporary.
type FirstWord = 'there' | 'missing' | 'silent'

// The decoder process, if one is running. Requests are handled one at a time.
class Decoder {
  readonly #program: string
  readonly #bounds: string
  readonly #pictureMsMax: number
  #running: Running | undefined
  #isMissing = false
  #silences = 0
  #isClosed = false
  #ids = 0
  #last: Promise<unknown> = Promise.resolve()
  #idle: NodeJS.Timeout | undefined

  constructor(program: string, bounds: string, pictureMsMax: number) {
    this.#program = program
    this.#bounds = bounds
    this.#pictureMsMax = pictureMsMax
  }

  // A missing library is not looked for again: installing it needs a restart.
  isAvailable(): Promise<boolean> {
    return this.#inTurn(async () => {
      if (this.#isMissing || this.#isClosed) return false
      const word = await this.#begin().word
      this.#silences = word === 'silent' ? this.#silences + 1 : 0
      this.#isMissing = word === 'missing' || this.#silences === silencesMax
      if (word === 'there') this.#rest()
      else this.#stop()
      return word === 'there'
    })
  }

  // Returns the result, or the name of a problem.
  ask(bytes: Buffer): Promise<unknown> {
    return this.#inTurn(async () => {
      if (this.#isClosed) throw new Error('the picture decoder is closed')
      const { child, word } = this.#begin()
      if ((await word) !== 'there') {
        this.#stop()
        throw new Error('the picture decoder process did not start')
      }
      this.#ids += 1
      const { problem, value } = await answerOf(child, { id: this.#ids, bytes }, this.#pictureMsMax)
      // A defect of the file does not end the process.
      if (problem === 'too_slow' || problem === 'too_much_memory') this.#stop()
      else this.#rest()
      return problem ?? value
    })
  }

  close(): void {
    this.#isClosed = true
    this.#stop()
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  #begin(): Running {
    clearTimeout(this.#idle)
    if (this.#running) return this.#running
    const child = fork(this.#program, [this.#bounds], {
      serialization: 'advanced',
      // The process gets none of the server's variables: no secrets, no addresses.
      env: { MALLOC_ARENA_MAX: '2' },
      execArgv: ['--max-old-space-size=128'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const running = { child, word: firstWord(child) }
    this.#running = running
    child.once('exit', () => {
      if (this.#running === running) this.#running = undefined
    })
    return running
  }

  #rest(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#stop(), idleMs).unref()
  }

  #stop(): void {
    clearTimeout(this.#idle)
    this.#running?.child.kill('SIGKILL')
    this.#running = undefined
  }
}

function firstWord(child: ChildProcess): Promise<FirstWord> {
  return new Promise((resolve) => {
    const patience = setTimeout(() => resolve('silent'), startMsMax)
    const said = (word: FirstWord) => {
      clearTimeout(patience)
      resolve(word)
    }
    child.once('message', ({ isAvailable }: { isAvailable?: boolean }) => said(isAvailable ? 'there' : 'missing'))
    child.once('error', () => said('silent'))
    child.once('exit', () => said('silent'))
  })
}

function answerOf(child: ChildProcess, request: { id: number; bytes: Buffer }, msMax: number): Promise<Answer> {
  const { id } = request
  return new Promise((resolve) => {
    const end = (answer: Answer) => {
      clearTimeout(patience)
      child.off('message', read)
      child.off('disconnect', died)
      resolve(answer)
    }
    const read = (answer: Answer) => {
      if (answer.id === id) end(answer)
    }
    const died = () => end({ id, problem: 'crashed' })
    const patience = setTimeout(() => end({ id, problem: 'too_slow' }), msMax)
    child.on('message', read)
    // Unlike 'exit', this event is emitted after the last message.
    child.once('disconnect', died)
    child.send(request, (error) => {
      if (error) died()
    })
  })
}
