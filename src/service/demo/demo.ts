/** `plat demo`: generates data, writes them to temporary files, and imports these like any others. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import { discoveryRules, scans } from '../../discovery/api.ts'
import { importEstate } from '../../exchange/cli/cli-import.ts'
import { call, type Transport } from '../../surfaces/cli/connection/client.ts'
import { getText, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { type Estate, generateEstate } from './estate.ts'
import { writeEstate } from './files.ts'
import { checkFits } from './fits.ts'

const DEFAULT_DEVICES = 300
const NO_RULE: ReadonlySet<string> = new Set(['ALREADY_EXISTS', 'VALIDATION_ERROR'])

const createEstate = (texts: Texts) => {
  const devices = Number(getText(texts, 'devices') ?? DEFAULT_DEVICES)
  const seed = Number(getText(texts, 'seed') ?? 1)
  if (!Number.isSafeInteger(seed)) throw createUsageError('--seed must be a whole number')
  try {
    return generateEstate({ devices, seed })
  } catch (error) {
    throw error instanceof RangeError ? createUsageError(`--${error.message}`) : error
  }
}

/** Records the scans of the demo data. */
const recordScans = async ({ io, globals }: Session, transport: Transport, estate: Estate): Promise<void> => {
  const all = [...estate.scans]
  const [first] = all
  // All scans of an earlier run are on record, or none.
  const isRecorded =
    first !== undefined && (await call(transport, scans.list, { network_id: first.id, limit: 1 })).length > 0
  if (!isRecorded) for (const scan of all) await call(transport, scans.record, scan)
  for (const rule of estate.rules)
    await call(transport, discoveryRules.create, rule).catch((error: unknown) => {
      // The rule exists from an earlier run, or the server may not scan these networks.
      if (!(error instanceof AppError && NO_RULE.has(error.code))) throw error
    })
  if (globals.isQuiet) return
  await io.stderr.write(
    isRecorded
      ? 'note: the demo data were there already, and its made-up scans stay as they are\n'
      : `note: ${all.length} made-up scans are on record; none was made\n`,
  )
}

export const demo = async (session: Session, texts: Texts): Promise<number> => {
  const estate = createEstate(texts)
  // Connects first, because generating files for an unreachable server is useless.
  const { transport } = await session.connect()
  const folder = await mkdtemp(join(tmpdir(), 'plat-demo-'))
  try {
    await writeEstate(estate, folder)
    await checkFits(session, transport, { estate, folder })
    const code = await importEstate(session, new Map([['path', [folder]]]))
    if (code === 0) await recordScans(session, transport, estate)
    return code
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
