/** One object of a change or of a comparison. */

import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { HistoryItem } from '../api/contracts.ts'
import { buildObjectLink, findItem } from '../shell/nav.ts'
import { Badge } from '../ui/primitives.tsx'
import { FieldChanges } from './field-changes.tsx'
import css from './history.module.css'
import { CHANGE_TONES, CHANGE_WORDS, getKindNoun, getShownName } from './labels.ts'

type ObjectOf = Pick<HistoryItem, 'id' | 'name'> & { readonly kind: string }

/** Relationships and locks have no page. They are on the page of their device. Its id is the first part of their id. */
const getHolder = ({ kind, id }: ObjectOf): { readonly type: string; readonly id: string } =>
  kind === 'relationship' || kind === 'discovery-lock'
    ? { type: 'device', id: id.split(' ')[0] ?? id }
    : { type: kind, id }

type NameProps = { readonly item: ObjectOf; readonly asOf: string | undefined }

/** @param asOf the moment at which the object is there; now without it */
export const ItemName = ({ item, asOf }: NameProps) => {
  const { type, id } = getHolder(item)
  const page = findItem(type)
  const name = getShownName(item)
  if (!page) return <b>{name}</b>
  const { search = {}, ...link }: { search?: object } & LinkProps = buildObjectLink(page, id)
  return (
    <Link {...link} search={{ ...search, as_of: asOf }} className="link" title={item.name}>
      {name}
    </Link>
  )
}

type Props = NameProps & {
  readonly item: HistoryItem
  readonly children?: ReactNode
}

export const ItemRow = ({ item, asOf, children }: Props) => (
  <li className={css.item}>
    <p className={css.itemHead}>
      <Badge tone={CHANGE_TONES[item.change]}>{CHANGE_WORDS[item.change]}</Badge>
      <span className="muted">{getKindNoun(item.kind)}</span>
      <ItemName item={item} asOf={asOf} />
      {children}
    </p>
    <FieldChanges item={item} />
  </li>
)

/** Returns a moment before a change, at which an object that it deleted is still there. */
export const getMomentBefore = (at: string): string => new Date(Date.parse(at) - 1).toISOString()
