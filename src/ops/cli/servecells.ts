// The command `serve` with `CARTWRIGHT_CELLS`: serves several cells in one process, behind one port. Each request goes to the cell of its
// host; only probes and metrics are about the process. A failure of one cell or its database does not affect the others.

import { setTimeout as pause } from 'node:timers/promises'
import { warmValidator } from '../../contract/validator.ts'
import { originProblem } from '../../domain/oauth/metadata.ts'
import { readSettings, type Settings } from '../../platform/config.ts'
import { createConnections } from '../../platform/http/connections.ts'
import { BadSetting } from '../../platform/kit/badsetting.ts'
import { createLog, type Log } from '../../platform/log/log.ts'
import { createSink } from '../../platform/log/sink.ts'
import { version } from '../../platform/version.ts'
import { type CellTools, ServedCell } from './cell.ts'
import type { CellEnvironment } from './cellsfile.ts'
import { CommandFailure, type ParsedArguments, type Terminal } from './command.ts'
import { logDrainMs, waitForEndSignal } from './ending.ts'
import { createCellsFrontServer } from './front.ts'
import { openMetrics, openPort } from './port.ts'
import { drainMs } from './service.ts'

export async function serveCells(
  listed: readonly CellEnvironment[],
  given: ParsedArguments,
  terminal: Terminal,
): Promise<number> {
  const settings = readSettings({ ...given.environment, CARTWRIGHT_CELLS: undefined })
  if (given.texts['backup-every'] !== undefined || given.texts['backup-to'] !== undefined)
    throw new CommandFailure(
      '--backup-every and --backup-to only work for a server of one SQLite database: back up the database of each cell with `backup`',
    )
  const sink = terminal.server?.log ?? createSink(process.stdout.fd)
  const log = createLog({ level: settings.logLevel, pretty: terminal.isWatched, write: sink.write })
  const connections = createConnections(settings)
  const cells = listed.map((cell, index) => openedCell(cell, index + 1, { log, terminal, connections }))
  const signalled = terminal.server?.signalled ?? waitForEndSignal({ ...settings, log, sink, terminal })
  try {
    await serveAll({ cells, settings, log, connections, signalled })
  } finally {
    log.flush()
    await sink.drain(logDrainMs)
  }
  return 0
}

function openedCell(listed: CellEnvironment, place: number, tools: CellTools): ServedCell {
  const problem = originProblem(listed.origin)
  if (problem !== undefined) throw new CommandFailure(`CARTWRIGHT_CELLS: cell ${place}: ${problem}`)
  try {
    return new ServedCell(listed, tools)
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error
    throw new BadSetting(`CARTWRIGHT_CELLS: cell ${place}: ${error.message}`)
  }
}

interface Parts {
  cells: readonly ServedCell[]
  settings: Settings
  log: Log
  connections: ReturnType<typeof createConnections>
  signalled: Promise<string>
}

async function serveAll({ cells, settings, log, connections, signalled }: Parts): Promise<void> {
  const front = createCellsFrontServer({ cells, settings, log, connections })
  const ownMetrics = await openPort(front.server, settings).then(async (port) => {
    log.info('listening', { port, host: settings.host, cells: cells.length, version })
    log.flush()
    return openMetrics(settings, front, log)
  })
  try {
    setTimeout(warmValidator, warmAfterMs).unref()
    // Starts one cell after the other: migrating many databases at the same time would be slower for each.
    for (const cell of cells) await Promise.race([cell.start(), signalled])
    log.info('draining', { signal: await signalled })
    front.beginDraining()
    if (settings.drainDelayMs > 0) await pause(settings.drainDelayMs)
    for (const cell of cells) cell.beginDraining()
    await front.server.drain(drainMs)
    await Promise.all(cells.map((cell) => cell.end()))
    log.info('stopped')
  } finally {
    await front.server.drain(0)
    await ownMetrics?.close()
    front.close()
  }
}

const warmAfterMs = 500
