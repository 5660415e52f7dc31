/** `plat discovery scan`: starts a scan; with --watch, polls its state and prints hosts as they are found. */

import { call, send, type Transport } from '../../surfaces/cli/connection/client.ts'
import { padEnd, toPrintable } from '../../surfaces/cli/output/display.ts'
import { present } from '../../surfaces/cli/output/present.ts'
import { createProgress } from '../../surfaces/cli/output/progress.ts'
import { getText, isOn, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { createNames } from '../../surfaces/cli/parse/names.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { discovery, scans } from '../api.ts'
import { type DiscoveredDevice, type Scan, ScanType } from '../schema.ts'

/** Between two looks at a scan: often enough to be lively, and far below any rate limit. */
const POLL_MS = 1000
/** Most hosts printed one by one; more are counted. */
const MAX_SHOWN = 1000

const WIDTHS = { ip: 16, mac_address: 18, hostname: 28, vendor: 22 } as const

const formatLine = ({ os_guess, open_ports, ...device }: DiscoveredDevice): string => {
  const cells = Object.entries(WIDTHS).map(([field, width]) => {
    // The fields of the widths are texts.
    const text = toPrintable(String(device[field as keyof typeof WIDTHS] || '-'))
    return padEnd(text.length >= width ? `${text.slice(0, width - 2)}…` : text, width)
  })
  return `${[...cells, toPrintable(open_ports.join(',')) || '-', toPrintable(os_guess)].join(' ').trimEnd()}\n`
}

const HEADING = `${[...Object.keys(WIDTHS).map((field) => padEnd(field.toUpperCase(), WIDTHS[field as keyof typeof WIDTHS])), 'PORTS', 'OS'].join(' ')}\n`

const isOver = ({ status }: Scan): boolean => status !== 'pending' && status !== 'running'

const buildInput = (texts: Texts) => {
  const type = getText(texts, 'type')
  const known = type === undefined ? undefined : ScanType.safeParse(type).data
  if (type !== undefined && known === undefined)
    throw createUsageError(`--type must be one of ${ScanType.options.join(', ')}`)
  const exclude_ips = getText(texts, 'exclude-ips')
  return {
    ...(known === undefined ? {} : { scan_type: known }),
    ...(exclude_ips === undefined ? {} : { exclude_ips }),
    ...(isOn(texts, 'dry-run') ? { dry_run: true } : {}),
  }
}

/** Prints hosts that were not printed before, above the progress bar. */
const tellFound = async ({ io }: Session, transport: Transport, { id, network_id }: Scan, told: Set<string>) => {
  if (!io.stdout.isTty || told.size >= MAX_SHOWN) return
  const found = await call(transport, discovery.list, { network_id })
  const fresh = found.filter((one) => one.last_scan_id === id && !told.has(one.id)).slice(0, MAX_SHOWN - told.size)
  if (fresh.length > 0 && told.size === 0) await io.stdout.write(HEADING)
  for (const one of fresh) {
    told.add(one.id)
    await io.stdout.write(formatLine(one))
  }
}

const watch = async (session: Session, transport: Transport, started: Scan): Promise<Scan> => {
  const { io } = session
  const progress = createProgress(io.stderr, 'scanning')
  const interrupted = io.interrupted()
  const told = new Set<string>()
  let scan = started
  let found = -1
  try {
    while (!isOver(scan) && !interrupted.aborted) {
      scan = await call(transport, scans.get, { id: scan.id }, { signal: interrupted })
      if (scan.found_hosts !== found || isOver(scan)) {
        await progress.clear()
        await tellFound(session, transport, scan, told)
        found = scan.found_hosts
      }
      if (isOver(scan)) break
      await progress.show(scan.scanned_hosts, scan.total_hosts)
      await Bun.sleep(POLL_MS)
    }
  } catch (error) {
    if (!interrupted.aborted) throw error
  } finally {
    await progress.clear()
  }
  return scan
}

const conclude = async (session: Session, transport: Transport, scan: Scan): Promise<number> => {
  const { io, globals } = session
  if (!isOver(scan)) {
    await io.stderr.write(`note: the scan continues; plat scan cancel ${toPrintable(scan.id)} stops it\n`)
    return 1
  }
  if (!io.stdout.isTty || globals.output !== 'table') {
    await present(session, { op: scans.get, transport, response: await send(transport, scans.get, { id: scan.id }) })
  } else {
    const { found_hosts, total_hosts, error_message } = scan
    const why = error_message === '' ? '' : `: ${toPrintable(error_message)}`
    await io.stdout.write(`${toPrintable(scan.status)}${why}; ${found_hosts} of ${total_hosts} addresses are in use\n`)
  }
  return scan.status === 'completed' ? 0 : 1
}

export const scan = async (session: Session, texts: Texts): Promise<number> => {
  const text = getText(texts, 'id')
  if (text === undefined) throw createUsageError('ID missing: the network')
  const input = buildInput(texts)
  const { transport } = await session.connect()
  const names = createNames(transport, await session.program.contracts())
  const id = await names.findId({ noun: 'networks', field: 'id', text })
  const response = await send(transport, scans.start, { id, ...input })
  if (!isOn(texts, 'watch') || input.dry_run) {
    return (await present(session, { op: scans.start, transport, response })) ? 0 : 1
  }
  // A result that is no dry run is a scan.
  const started = (await response.json()) as Scan
  return conclude(session, transport, await watch(session, transport, started))
}
