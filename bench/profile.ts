// Reads a processor profile (`node --cpu-prof`) and reports where the time went: by function, by file, and by caller.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StartOptions } from './process.ts'

// The arguments for our server if a profile is requested.
export function profiled({ profileFolder }: { profileFolder: string | null }, name: string): Partial<StartOptions> {
  if (profileFolder === null) return {}
  return { nodeArgs: ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`, `--cpu-prof-name=${name}.cpuprofile`] }
}

// The start of the server is left out, as far as it can be recognised.
export async function writeSummary(folder: string, name: string): Promise<string | undefined> {
  const text = await readFile(join(folder, `${name}.cpuprofile`), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const file = join(folder, `${name}.txt`)
  await writeFile(file, `${name}: ${summarise(text, { from: 0.2 })}`)
  return file
}

interface CpuProfile {
  nodes: {
    id: number
    callFrame: { functionName: string; url: string; lineNumber: number }
    children?: number[]
  }[]
  samples: number[]
  timeDeltas: number[]
}

const root = new URL('..', import.meta.url).href

// `from` leaves out the start of the process, as a share of the time of all samples.
export function summarise(text: string, { top = 40, from = 0 } = {}): string {
  const profile = JSON.parse(text) as CpuProfile
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const parents = new Map(profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])))
  const totalUs = profile.timeDeltas.reduce((sum, delta) => sum + delta, 0)
  const selfUs = new Map<string, number>()
  const fileUs = new Map<string, number>()
  const inclusiveUs = new Map<string, number>()
  let passedUs = 0
  let countedUs = 0
  let idleUs = 0
  for (const [index, id] of profile.samples.entries()) {
    const deltaUs = profile.timeDeltas[index] ?? 0
    passedUs += deltaUs
    if (passedUs < totalUs * from) continue
    const frame = nodes.get(id)?.callFrame
    if (!frame) continue
    if (frame.functionName === '(idle)') {
      idleUs += deltaUs
      continue
    }
    countedUs += deltaUs
    add(selfUs, nameOf(frame), deltaUs)
    add(fileUs, placeOf(frame.url) || frame.functionName, deltaUs)
    const seen = new Set<string>()
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const above = nodes.get(at)?.callFrame
      if (!above || above.functionName === '(root)') continue
      const name = nameOf(above)
      if (!seen.has(name)) add(inclusiveUs, name, deltaUs)
      seen.add(name)
    }
  }
  const section = (title: string, sums: ReadonlyMap<string, number>, count: number) => [
    '',
    title,
    ...[...sums]
      .sort(([, one], [, other]) => other - one)
      .slice(0, count)
      .map(([name, us]) => `${((us / countedUs) * 100).toFixed(1).padStart(6)} %  ${name}`),
  ]
  return [
    `${(countedUs / 1e6).toFixed(1)} s of samples, and ${(idleUs / 1e6).toFixed(1)} s idle`,
    ...section('Self time, by function', selfUs, top),
    ...section('Self time, by file', fileUs, top),
    ...section('With everything that was called', inclusiveUs, Math.round(top * 1.5)),
    '',
  ].join('\n')
}

function add(sums: Map<string, number>, name: string, us: number): void {
  sums.set(name, (sums.get(name) ?? 0) + us)
}

function nameOf({ functionName, url, lineNumber }: { functionName: string; url: string; lineNumber: number }): string {
  return url ? `${functionName || '(anonymous)'}  ${placeOf(url)}:${lineNumber + 1}` : functionName || '(anonymous)'
}

function placeOf(url: string): string {
  return url.replace(root, '').replace(/^file:\/\//, '')
}
