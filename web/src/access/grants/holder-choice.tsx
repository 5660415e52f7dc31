/** A form field that selects a user or a group by a part of its name. */
import { useQuery } from '@tanstack/react-query'
import { User, UsersRound, X } from 'lucide-react'
import { useState } from 'react'
import { usersQuery } from '../../api/queries.ts'
import { usePermit } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import fieldCss from '../../ui/field.module.css'
import { Field } from '../../ui/field.tsx'
import css from '../access.module.css'
import { groupsQuery } from '../queries.ts'
import type { Holder } from './holder.ts'

const MOST = 8

type Option = { readonly holder: Holder; readonly note: string }

const useOptions = (): readonly Option[] => {
  const { may } = usePermit()
  const { data: groups = [] } = useQuery({ ...groupsQuery, enabled: may('groups:list') })
  const { data: users = [] } = useQuery({ ...usersQuery, enabled: may('users:list') })
  return [
    ...groups.map(({ id, name, description }) => ({ holder: { group_id: id, name }, note: description })),
    ...users.map(({ id, username, full_name }) => ({ holder: { user_id: id, name: username }, note: full_name })),
  ]
}

const HolderIcon = ({ holder }: { readonly holder: Holder }) =>
  holder.group_id === undefined ? (
    <User size={14} aria-label="User" role="img" />
  ) : (
    <UsersRound size={14} aria-label="Group" role="img" />
  )

type Props = {
  readonly value: Holder | undefined
  readonly onChange: (holder: Holder | undefined) => void
  readonly error: string | undefined
}

const focus = (element: HTMLElement | null) => element?.focus()

export const HolderChoice = ({ value, onChange, error }: Props) => {
  const options = useOptions()
  const [text, setText] = useState('')
  const word = text.trim().toLowerCase()
  const found = options.filter(({ holder, note }) => `${holder.name}\n${note}`.toLowerCase().includes(word))
  return (
    <>
      <Field label="User or group" isRequired error={error} hint="A part of the name">
        {(wiring) =>
          value === undefined ? (
            <input
              {...wiring}
              className={fieldCss.control}
              autoComplete="off"
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          ) : (
            <span className={css.chosen}>
              <HolderIcon holder={value} />
              <b className={css.strong}>{value.name}</b>
              <Button
                isIcon
                look="quiet"
                aria-label="Choose another"
                onClick={() => onChange(undefined)}
                // The element that had the focus no longer exists.
                ref={focus}
              >
                <X size={14} aria-hidden="true" />
              </Button>
            </span>
          )
        }
      </Field>
      {value === undefined && found.length > 0 && (
        <div className={css.options} role="group" aria-label="Users and groups found">
          {found.slice(0, MOST).map(({ holder, note }) => (
            <button
              key={holder.group_id ?? holder.user_id}
              type="button"
              className={css.option}
              onClick={() => onChange(holder)}
            >
              <HolderIcon holder={holder} />
              <b className={css.strong}>{holder.name}</b>
              <span className={`${css.note} truncate`}>{note}</span>
            </button>
          ))}
        </div>
      )}
    </>
  )
}
