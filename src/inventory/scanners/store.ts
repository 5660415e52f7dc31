/** The store of scanners, and the computed fields of their answers. */
import { VERSION } from '../../base/runtime/version.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { objectStore } from '../../resource/store.ts'
import type { Scanner, ScannerStatus } from './api.ts'
import { scannerFacts } from './resource.ts'
import { findStates, insertStates, removeStates, type StoredState } from './state-row-store.ts'

type Said = Pick<
  Scanner,
  | 'status'
  | 'hostname'
  | 'version'
  | 'protocol'
  | 'is_outdated'
  | 'capabilities'
  | 'links'
  | 'slots'
  | 'ip_address'
  | 'running_scans'
  | 'spooled_reports'
  | 'last_seen_at'
  | 'enrolled_at'
>

/** A scanner without computed fields. */
export type StoredScanner = Omit<Scanner, keyof Said>

export const store = objectStore<typeof scannerFacts, StoredScanner>(scannerFacts, {
  writeParts: (ctx, writes) =>
    insertStates(
      ctx,
      writes.flatMap(({ before, after }) => (before || !after ? [] : [after.id])),
    ),
  removeParts: (ctx, scanners) =>
    removeStates(
      ctx,
      scanners.map(({ id }) => id),
    ),
})

const toStatus = ({ revoked_at, enrolled_at, is_online }: StoredState): ScannerStatus => {
  if (revoked_at !== null) return 'revoked'
  if (enrolled_at === null) return 'pending'
  return is_online === 1 ? 'online' : 'offline'
}

/** The state of a scanner before it enrols. */
const UNKNOWN: Said = {
  status: 'pending',
  hostname: '',
  version: '',
  protocol: null,
  is_outdated: false,
  capabilities: { icmp: false, arp: false, neighbours: false, listen: false },
  links: [],
  slots: null,
  ip_address: '',
  running_scans: 0,
  spooled_reports: 0,
  last_seen_at: null,
  enrolled_at: null,
}

const toSaid = (state: StoredState | undefined, running_scans: number): Said => {
  if (!state) return UNKNOWN
  const { hostname, version, protocol, capabilities, links, slots, ip_address } = state
  const { spooled_reports, last_seen_at, enrolled_at } = state
  return {
    ...{ status: toStatus(state), hostname, version, protocol },
    is_outdated: version !== '' && version !== VERSION,
    // The JSON was written by `toColumns` of `state-store.ts`.
    capabilities: JSON.parse(capabilities) as Said['capabilities'],
    links: JSON.parse(links) as string[],
    ...{ slots: slots === 0 ? null : slots, ip_address, running_scans, spooled_reports, last_seen_at, enrolled_at },
  }
}

const countRunning = async ({ db }: Ctx): Promise<ReadonlyMap<string, number>> => {
  const rows = await db
    .selectFrom('discovery_scans')
    .select(({ fn }) => ['scanner_id', fn.countAll<number | string>().as('n')])
    .where('status', '=', 'running')
    .where('scanner_id', 'is not', null)
    .groupBy('scanner_id')
    .execute()
  return new Map(rows.map(({ scanner_id, n }) => [scanner_id ?? '', Number(n)]))
}

/** Reads the computed fields of these scanners, or of all scanners without ids. */
export const loadSaid = async (ctx: Ctx, ids?: readonly string[]): Promise<(scanner: StoredScanner) => Said> => {
  const [states, running] = [await findStates(ctx, ids), await countRunning(ctx)]
  return ({ id }) => toSaid(states.get(id), running.get(id) ?? 0)
}
