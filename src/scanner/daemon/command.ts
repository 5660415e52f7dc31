/** Runs `plat scanner run`: options, state folder, signals, log, exit code. */
import { createLogger } from '../../base/runtime/log.ts'
import { AppError } from '../../contract/errors.ts'
import { toPrintable } from '../../surfaces/cli/output/display.ts'
import { getText, isOn, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { startListening } from '../process.ts'
import { checkScanner } from './check.ts'
import { type DaemonContext, runDaemon } from './daemon.ts'
import type { DaemonEnd } from './ending.ts'
import { readOptions } from './options.ts'
import { lockState, makeStateFolder, readState } from './state.ts'

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** @throws AppError with the exit code of the end */
const toExitCode = ({ code, message }: DaemonEnd): number => {
  if (code === 3) throw new AppError('INVALID_CREDENTIALS', message)
  if (code === 6) throw new AppError('UNAVAILABLE', message)
  return code
}

/** Keeps the folder to one process, which would otherwise send the spool twice. */
const runAlone = async (context: DaemonContext): Promise<DaemonEnd> => {
  const { stateDir } = context.options
  const unlock = lockState(stateDir)
  if (!unlock)
    throw createUsageError(`another scanner uses ${stateDir}: stop it first, or set --state or PLAT_SCANNER_STATE`)
  try {
    return await runDaemon(context, readState(stateDir))
  } finally {
    unlock()
  }
}

export const runScanner = async ({ io, globals, program }: Session, texts: Texts): Promise<number> => {
  const options = readOptions(
    {
      url: getText(texts, 'url') ?? globals.url,
      token: getText(texts, 'token') ?? globals.token,
      state: getText(texts, 'state'),
      slots: getText(texts, 'slots'),
      ca: getText(texts, 'ca'),
      spoolLimit: getText(texts, 'spool-limit'),
      allowsHttp: isOn(texts, 'allow-http'),
    },
    io.env,
  )
  makeStateFolder(options.stateDir)
  const logger = createLogger({ level: 'info', format: io.env.LOG_FORMAT === 'json' ? 'json' : 'text' })
  const stop = new AbortController()
  const abort = (): void => stop.abort()
  for (const name of SIGNALS) process.on(name, abort)
  const log = (message: string): void => logger.info(toPrintable(message))
  const context = { options, version: program.version, startListening, log, signal: stop.signal }
  try {
    if (!isOn(texts, 'check')) return toExitCode(await runAlone(context))
    const checked = await checkScanner(context, readState(options.stateDir))
    await io.stdout.write(checked.lines.map((line) => `${toPrintable(line)}\n`).join(''))
    return toExitCode(checked)
  } finally {
    for (const name of SIGNALS) process.off(name, abort)
  }
}
