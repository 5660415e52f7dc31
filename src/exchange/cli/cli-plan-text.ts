/** Shows the plan of an apply as text. */

import { formatSummary } from '../../contract/change-summary.ts'
import { toPrintable, toPrintableJson } from '../../surfaces/cli/output/display.ts'
import { COLORS, type Color } from '../../surfaces/cli/terminal.ts'
import type { ApplyResult } from '../estate/api.ts'

type Change = ApplyResult['changes'][number]

const MARKS: Readonly<Record<Change['action'], readonly [mark: string, color: Color]>> = {
  update: ['~', 'yellow'],
  create: ['+', 'green'],
  delete: ['-', 'red'],
}

const formatJson = (value: unknown): string => toPrintableJson(JSON.stringify(value) ?? 'null')

/** Returns the items of `a` that `b` lacks, each as often as it lacks them. */
const removeItems = (a: readonly string[], b: readonly string[]): string[] => {
  const left = [...b]
  return a.filter((one) => {
    const at = left.indexOf(one)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** Returns the items of a list, or of an object as `key: value`; undefined for another value. */
const listItems = (value: unknown): readonly string[] | undefined => {
  if (Array.isArray(value)) return value.map(formatJson)
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).map(([key, one]) => `${toPrintable(key)}: ${formatJson(one)}`)
}

/** @example formatDifference({ from: ['old'], to: ['web'] }) // '+ "web"  - "old"' */
const formatDifference = ({ from, to }: { readonly from: unknown; readonly to: unknown }): string => {
  const [before, after] = [listItems(from), listItems(to)]
  if (!before || !after) return `${formatJson(from)} -> ${formatJson(to)}`
  const parts = [
    ...removeItems(after, before).map((one) => `+ ${one}`),
    ...removeItems(before, after).map((one) => `- ${one}`),
  ]
  return parts.length > 0 ? parts.join('  ') : 'another order'
}

const toSingular = (resource: string): string => resource.slice(0, -1)

const addColor = (text: string, color: Color, hasColors: boolean): string =>
  hasColors ? `${COLORS[color]}${text}${COLORS.none}` : text

const changeLines = ({ action, resource, name, fields = {}, managed_by }: Change, hasColors: boolean): string[] => {
  const [mark, color] = MARKS[action]
  const all = { ...fields, ...(managed_by && { managed_by }) }
  return [
    addColor(`${mark} ${toSingular(resource)} ${toPrintable(name)}`, color, hasColors),
    ...Object.entries(all).map(([field, change]) => `    ${toPrintable(field)}: ${formatDifference(change)}`),
  ]
}

const formatTotals = ({ counts }: Pick<ApplyResult, 'counts'>): string => {
  const sum = (key: keyof ApplyResult['counts'][string]) =>
    Object.values(counts).reduce((total, count) => total + count[key], 0)
  const failed = sum('failed')
  const parts = [
    `${sum('created')} to create`,
    `${sum('updated')} to change`,
    `${sum('deleted')} to delete`,
    `${sum('unchanged')} unchanged`,
  ]
  return [...parts, ...(failed > 0 ? [`${failed} with errors`] : [])].join(', ')
}

const formatAlso = ({ also }: Pick<ApplyResult, 'also'>): string =>
  also && Object.keys(also).length > 0 ? `. Also: ${formatSummary(also)}` : ''

const formatExtraLines = ({ extra }: Pick<ApplyResult, 'extra'>, owner: string): string[] => {
  const parts = Object.entries(extra).map(([resource, n]) =>
    n === 1 ? `1 ${toSingular(resource)}` : `${n} ${resource}`,
  )
  if (parts.length === 0) return []
  const isOne = Object.values(extra).reduce((sum, n) => sum + n, 0) === 1
  const verb = isOne ? 'is' : 'are'
  return [`${parts.join(', ')} ${verb} managed by "${owner}" and in no file; --prune deletes ${isOne ? 'it' : 'them'}`]
}

/** The shown part of the answer of an apply. */
export type ShownPlan = Pick<ApplyResult, 'changes' | 'changes_total' | 'counts' | 'extra' | 'also' | 'lacking'>

type Options = { readonly owner: string; readonly hasColors: boolean }

/** Deletes come last. Unchanged rows are counted. */
export const planText = (plan: ShownPlan, { owner, hasColors }: Options): string => {
  const { changes, changes_total, lacking = [] } = plan
  const ordered = (['update', 'create', 'delete'] as const).flatMap((action) =>
    changes.filter((change) => change.action === action),
  )
  const more = changes_total - changes.length
  const lines = [
    ...ordered.flatMap((change) => changeLines(change, hasColors)),
    ...(more > 0 ? [`and ${more} more`] : []),
    `${formatTotals(plan)}${formatAlso(plan)}`,
    ...formatExtraLines(plan, owner),
    ...(lacking.length > 0 ? [`An apply needs permissions that you lack: ${lacking.join(', ')}`] : []),
  ]
  return `${lines.join('\n')}\n`
}
