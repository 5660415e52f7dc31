/** Shows the plan of an apply as text. */
import { printable, printableJson } from '../../platform/cli/display.ts'
import { COLORS, type Color } from '../../platform/cli/terminal.ts'
import { summaryOf } from '../../platform/contract/change-summary.ts'
import type { ApplyResult } from './api.ts'

type Change = ApplyResult['changes'][number]

const MARKS: Readonly<Record<Change['action'], readonly [mark: string, color: Color]>> = {
  update: ['~', 'yellow'],
  create: ['+', 'green'],
  delete: ['-', 'red'],
}

const jsonOf = (value: unknown): string => printableJson(JSON.stringify(value) ?? 'null')

/** Returns the items of `a` that `b` lacks, each as often as it lacks them. */
const without = (a: readonly string[], b: readonly string[]): string[] => {
  const left = [...b]
  return a.filter((one) => {
    const at = left.indexOf(one)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** Returns the items of a list, or of an object as `key: value`; undefined for another value. */
const itemsOf = (value: unknown): readonly string[] | undefined => {
  if (Array.isArray(value)) return value.map(jsonOf)
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).map(([key, one]) => `${printable(key)}: ${jsonOf(one)}`)
}

/** @example differenceOf({ from: ['old'], to: ['web'] }) // '+ "web"  - "old"' */
const differenceOf = ({ from, to }: { readonly from: unknown; readonly to: unknown }): string => {
  const [before, after] = [itemsOf(from), itemsOf(to)]
  if (!before || !after) return `${jsonOf(from)} -> ${jsonOf(to)}`
  const parts = [...without(after, before).map((one) => `+ ${one}`), ...without(before, after).map((one) => `- ${one}`)]
  return parts.length > 0 ? parts.join('  ') : 'another order'
}

const singular = (resource: string): string => resource.slice(0, -1)

const painted = (text: string, color: Color, hasColors: boolean): string =>
  hasColors ? `${COLORS[color]}${text}${COLORS.none}` : text

const changeLines = ({ action, resource, name, fields = {}, managed_by }: Change, hasColors: boolean): string[] => {
  const [mark, color] = MARKS[action]
  const all = { ...fields, ...(managed_by && { managed_by }) }
  return [
    painted(`${mark} ${singular(resource)} ${printable(name)}`, color, hasColors),
    ...Object.entries(all).map(([field, change]) => `    ${printable(field)}: ${differenceOf(change)}`),
  ]
}

const totalsOf = ({ counts }: ApplyResult): string => {
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

const alsoOf = ({ also }: ApplyResult): string =>
  also && Object.keys(also).length > 0 ? `. Also: ${summaryOf(also)}` : ''

const extraLines = ({ extra }: ApplyResult, owner: string): string[] => {
  const parts = Object.entries(extra).map(([resource, n]) => (n === 1 ? `1 ${singular(resource)}` : `${n} ${resource}`))
  if (parts.length === 0) return []
  const isOne = Object.values(extra).reduce((sum, n) => sum + n, 0) === 1
  const verb = isOne ? 'is' : 'are'
  return [`${parts.join(', ')} ${verb} managed by "${owner}" and in no file; --prune deletes ${isOne ? 'it' : 'them'}`]
}

type Options = { readonly owner: string; readonly hasColors: boolean }

/** Deletes come last. Unchanged rows are counted. */
export const planText = (plan: ApplyResult, { owner, hasColors }: Options): string => {
  const { changes, changes_total, lacking = [] } = plan
  const ordered = (['update', 'create', 'delete'] as const).flatMap((action) =>
    changes.filter((change) => change.action === action),
  )
  const more = changes_total - changes.length
  const lines = [
    ...ordered.flatMap((change) => changeLines(change, hasColors)),
    ...(more > 0 ? [`and ${more} more`] : []),
    `${totalsOf(plan)}${alsoOf(plan)}`,
    ...extraLines(plan, owner),
    ...(lacking.length > 0 ? [`An apply needs permissions that you lack: ${lacking.join(', ')}`] : []),
  ]
  return `${lines.join('\n')}\n`
}
