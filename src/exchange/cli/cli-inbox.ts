/** `plat import FORMAT SOURCE --to inbox`: records the hosts of a source as scans, so that they meet what is documented. */
import type { Converted } from '../../convert/protocol.ts'
import { scans } from '../../discovery/api.ts'
import { networks } from '../../inventory/networks/api.ts'
import { findSpaceId } from '../../inventory/spaces/cli-space.ts'
import { call } from '../../surfaces/cli/connection/client.ts'
import { toPrintable } from '../../surfaces/cli/output/display.ts'
import { isOn, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { buildRecordings, type Recordings } from '../import/recordings.ts'
import { askConfirmation } from './cli-apply.ts'

const formatRecordings = ({ recordings, left }: Recordings): string => {
  const lines = [
    ...recordings.map(({ network: { name, subnet }, found }) => `Found: ${found} in ${name} (${subnet})`),
    ...left.map(({ ip, why }) => `Left: ${ip} ${why}`),
  ]
  return lines.map((line) => `${toPrintable(line)}\n`).join('')
}

/** @returns the exit code: 1 if a host has no recording */
export const recordHosts = async (session: Session, texts: Texts, hosts: Converted['hosts']): Promise<number> => {
  if (hosts.length === 0)
    throw createUsageError('the source has no hosts; --to inbox takes scans, leases, hosts files and zones')
  const { io, globals } = session
  const { transport } = await session.connect()
  const space_id = await findSpaceId(session, transport, texts)
  const all = await call(transport, networks.list, {})
  const found = buildRecordings(
    all.filter((network) => network.space_id === space_id),
    hosts,
  )
  const isJson = globals.output === 'json'
  const [isQuiet, isDry] = [isJson || globals.isQuiet, isOn(texts, 'dry-run')]
  if (!isQuiet) await io.stdout.write(formatRecordings(found))
  const { recordings, left } = found
  if (recordings.length > 0 && !isDry && !isOn(texts, 'yes') && !(await askConfirmation(session, 'Record these?'))) {
    await io.stderr.write('Nothing was recorded.\n')
    return 1
  }
  const recorded: { network_id: string; hosts: number; scan_ids: string[] }[] = []
  for (const { network, inputs, found: count } of recordings) {
    const scan_ids: string[] = []
    // One after the other, because a network has one scan at a time.
    if (!isDry) for (const input of inputs) scan_ids.push((await call(transport, scans.record, input)).id)
    recorded.push({ network_id: network.id, hosts: count, scan_ids })
  }
  if (isJson) await io.stdout.write(`${JSON.stringify({ recorded, left })}\n`)
  else if (!isQuiet && !isDry && recordings.length > 0)
    await io.stdout.write('Done: see them with plat discovery list.\n')
  return left.length > 0 ? 1 : 0
}
