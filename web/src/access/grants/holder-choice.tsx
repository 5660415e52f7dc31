/** A form field that selects a user or a group by a part of the name. */
import { type Choice, ChoiceField } from '../../resource/form/choice-field.tsx'
import { useReferred } from '../../resource/form/referred.ts'
import type { Holder } from './holder.ts'

const GROUP = 'group '

/** The choices of both kinds have ids of their own. */
const toChoices = (choices: readonly Choice[], kind: 'user' | 'group'): Choice[] =>
  choices.map(([id, name, note]) => [`${kind} ${id}`, name, [kind, note].filter(Boolean).join(' · ')])

const toId = ({ group_id, user_id }: Holder): string => (group_id === undefined ? `user ${user_id}` : GROUP + group_id)

type Props = {
  readonly value: Holder | undefined
  readonly onChange: (holder: Holder | undefined) => void
  readonly error: string | undefined
}

export const HolderChoice = ({ value, onChange, error }: Props) => {
  const groups = useReferred({ to: 'groups' }, [])
  const users = useReferred({ to: 'users' }, [])
  const choose = (id: string) => {
    const own = id.slice(id.indexOf(' ') + 1)
    onChange(
      id.startsWith(GROUP)
        ? { group_id: own, name: groups.names.get(own) ?? own }
        : { user_id: own, name: users.names.get(own) ?? own },
    )
  }
  return (
    <ChoiceField
      label="User or group"
      isRequired
      error={error}
      hint="A part of the name"
      value={value ? toId(value) : ''}
      chosen={value?.name}
      onChange={choose}
      choices={[...toChoices(groups.choices, 'group'), ...toChoices(users.choices, 'user')]}
      onSearch={(text) => {
        groups.onSearch(text)
        users.onSearch(text)
      }}
      isSearching={groups.isSearching || users.isSearching}
    />
  )
}
