/** The limits of keys in words, and the addresses of a text. */
import type { ApiKey } from '../api/contracts.ts'

const MOST_NAMED = 2

const formatNames = (texts: readonly string[]): string => {
  const others = texts.length - MOST_NAMED
  return `${texts.slice(0, MOST_NAMED).join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}

export type Limits = Pick<ApiKey, 'permissions' | 'allowed_cidrs' | 'scope_id'>

/** @example formatLimits({ permissions: ['devices:list'], scope_id: null, allowed_cidrs: ['10.0.0.0/8'] }) // 'only devices:list, from 10.0.0.0/8' */
export const formatLimits = ({ permissions, scope_id, allowed_cidrs }: Limits): string =>
  [
    ...(permissions ? [`only ${formatNames(permissions)}`] : []),
    ...(scope_id === null ? [] : ['in a part of the estate']),
    ...(allowed_cidrs.length > 0 ? [`from ${formatNames(allowed_cidrs)}`] : []),
  ].join(', ')

/** @example parseBlocks('10.0.0.0/8, 2001:db8::1') // ['10.0.0.0/8', '2001:db8::1'] */
export const parseBlocks = (text: string): readonly string[] => text.split(/[\s,]+/).filter((one) => one !== '')

/** Returns the messages about a list and its items, with the items. */
export const listError = (
  errors: Readonly<Record<string, string>>,
  field: string,
  items: readonly string[],
): string | undefined => {
  const about = Object.entries(errors).filter(([key]) => key === field || key.startsWith(`${field}[`))
  const texts = about.map(([key, message]) => {
    const item = items[Number(key.slice(field.length + 1, -1))]
    return key === field || item === undefined ? message : `${item} ${message}`
  })
  return texts.length > 0 ? texts.join('; ') : undefined
}
