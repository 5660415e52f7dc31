/** The events of a transaction for each channel that pass its filter, with their texts for people. */
import { splitBatches } from '../../database/query/batches.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Subscription } from '../webhooks/store.ts'
import type { NewEntry } from './entry-store.ts'
import { formatLine, type Line, type NetworkNames, type Told } from './line.ts'
import { hasFilter, loadTraits, passesFilter } from './traits.ts'

export const isSubscribed = ({ events }: Pick<Subscription, 'events'>, event: string): boolean =>
  events.some((name) => name === event)

/** Returns a function that tells whether an event passes the filter of a subscription to it. */
export const createFilterCheck = async (
  ctx: Ctx,
  wanted: readonly Subscription[],
  all: readonly Told[],
): Promise<(subscription: Subscription, told: Told) => boolean> => {
  const filtering = wanted.filter(({ filter }) => hasFilter(filter))
  const asked = all.filter(({ event }) => filtering.some((one) => isSubscribed(one, event)))
  if (asked.length === 0) return () => true
  const traits = await loadTraits(ctx, asked)
  const known = new Map(asked.map((told, at) => [told, traits[at]]))
  return ({ filter }, told) => {
    const found = known.get(told)
    return !hasFilter(filter) || (found !== undefined && passesFilter(filter, found))
  }
}

/** Returns the names of the networks of events of discovery, whose data has their ids. */
const readNetworkNames = async ({ db }: Ctx, told: readonly Told[]): Promise<NetworkNames> => {
  const found = told.filter(({ event }) => event.startsWith('discovery.'))
  // The recorder of events has written the data.
  const ids = new Set(found.map(({ data }) => (JSON.parse(data) as { readonly network_id: string }).network_id))
  const names = new Map<string, string>()
  for (const batch of splitBatches([...ids])) {
    const rows = await db.selectFrom('networks').select(['id', 'name']).where('id', 'in', batch).execute()
    for (const { id, name } of rows) names.set(id, name)
  }
  return names
}

export type Passing<T extends Told> = { readonly webhookId: string; readonly told: T }

/** Returns the rows of events that have passed. Each event is formatted once for all channels. */
export const buildEntries = async <T extends Told & { readonly created_at: string }>(
  ctx: Ctx,
  passing: readonly Passing<T>[],
): Promise<NewEntry[]> => {
  const events = [...new Set(passing.map(({ told }) => told))]
  const names = await readNetworkNames(ctx, events)
  const lines = new Map<T, Line>(events.map((told) => [told, formatLine(told, names)]))
  return passing.flatMap(({ webhookId, told }) => {
    const { event, resource_id, created_at } = told
    const line = lines.get(told)
    return line ? [{ webhook_id: webhookId, event, resource_id, ...line, created_at }] : []
  })
}
