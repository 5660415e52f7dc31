/** The filters above a paged list: their frame, a choice, and the users to choose from. */

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { sortByName } from '../../../src/net/name-order.ts'
import { usersQuery } from '../api/queries.ts'
import { usePermit } from '../shell/me.ts'
import css from './filter-controls.module.css'

type FiltersProps = {
  readonly label?: string
  /** In two columns on a narrow screen. */
  readonly isGrid?: boolean
  readonly children: ReactNode
}

export const Filters = ({ label = 'Filter', isGrid, children }: FiltersProps) => (
  <search className={css.filters} data-grid={isGrid || undefined} aria-label={label}>
    {children}
  </search>
)

export type Option = readonly [value: string, text: string]

type ChoiceProps = {
  readonly label: string
  readonly any: string
  readonly value: string | undefined
  readonly options: readonly Option[]
  readonly onChange: (value: string | undefined) => void
}

export const Choice = ({ label, any, value = '', options, onChange }: ChoiceProps) => {
  // A link may name a value that is in no list.
  const isListed = value === '' || options.some(([one]) => one === value)
  return (
    <select
      aria-label={label}
      className={css.control}
      data-set={value !== '' || undefined}
      value={value}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      <option value="">{any}</option>
      {!isListed && <option value={value}>{value}</option>}
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  )
}

/** All users. A user who may not list them gets the users in the list. */
export const useUserOptions = (seen: readonly Option[]): readonly Option[] => {
  const { may } = usePermit()
  const { data = [] } = useQuery({ ...usersQuery, enabled: may('users:list') })
  const known = data.map(({ id, username }): Option => [id, username])
  return sortByName(new Map([...seen, ...known].filter(([id]) => id !== '')), ([, name]) => name)
}
