/** An impact in words: for the list, the clipboard and a file. */
import { formatCsv } from '../../../../src/base/csv/csv.ts'
import { formatImpactSummary } from '../../../../src/contract/impact-summary.ts'
import type { Contracts, Out } from '../../api/contracts.ts'
import { EFFECT_TEXTS, type Effect, type Mark } from './signs.ts'

export type Impact = Out<Contracts['impact']['preview']>

type Type = NonNullable<Impact['affected'][number]['because']>['type']

const REASONS: Readonly<Record<Type, (name: string) => string>> = {
  contains: (name) => `${name} contains it`,
  depends_on: (name) => `${name} is needed by it`,
  connected_to: (name) => `behind ${name}`,
}

export type EffectRow = {
  readonly id: string
  readonly name: string
  readonly effect: Effect
  readonly depth: number
  /** Why it follows: the name of its neighbor, and their relationship. */
  readonly because: string
}

export const listRows = ({ failed, affected, degraded }: Impact): EffectRow[] => {
  const names = new Map([...failed, ...affected].map(({ device_id, name }) => [device_id, name]))
  return [
    ...failed.map(({ device_id: id, name }) => ({ id, name, effect: 'failed' as const, depth: 0, because: '' })),
    ...affected.map(({ device_id: id, name, effect, depth, because }) => ({
      ...{ id, name, effect, depth },
      because: because === null ? '' : REASONS[because.type](names.get(because.device_id) ?? ''),
    })),
    ...degraded.map(({ device_id: id, name }) => ({ id, name, effect: 'degraded' as const, depth: 1, because: '' })),
  ]
}

export const listMarks = (rows: readonly EffectRow[]): ReadonlyMap<string, Mark> =>
  new Map(rows.flatMap(({ id, effect, depth }) => (effect === 'degraded' ? [] : [[id, { effect, depth }] as const])))

export const formatSummary = ({ counts, failed }: Impact): string => {
  const [first] = failed
  const subject = failed.length === 1 ? (first?.name ?? '') : `these ${failed.length.toLocaleString('en-US')} devices`
  const [verb, pronoun] = failed.length === 1 ? ['goes', 'it'] : ['go', 'them']
  const follows = formatImpactSummary(counts) || `nothing else stops without ${pronoun}`
  return `If ${subject} ${verb} away, ${follows}`
}

/** Returns the list as text, such as for a ticket. */
export const formatText = (impact: Impact): string => {
  const lines = listRows(impact).map(({ name, effect, because }) =>
    [`- ${name} ${EFFECT_TEXTS[effect]}`, ...(because === '' ? [] : [because])].join(': '),
  )
  return `${formatSummary(impact)}.\n\n${lines.join('\n')}\n`
}

export const formatFile = (impact: Impact): string =>
  formatCsv([
    ['device_id', 'name', 'effect', 'depth', 'because'],
    ...listRows(impact).map(({ id, name, effect, depth, because }) => [id, name, effect, String(depth), because]),
  ])
