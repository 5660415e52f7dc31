/** Chooses the icon of a kind. The arrows go through the icons, as of all radio buttons. */
import { useId } from 'react'
import { FACTS } from '../../../src/inventory/resources.ts'
import { KindIcon } from './icons.tsx'
import css from './kinds.module.css'
import type { Kind } from './known-kinds.ts'

type Icon = Kind['icon']
const NAMES: readonly Icon[] = FACTS.kinds.fields.icon.of

type Props = { readonly value: string; readonly onChange: (icon: Icon) => void }

/** @example toIconText('map-pin') // 'map pin' */
const toIconText = (name: Icon): string => name.replace(/-\d+$/, '').replaceAll('-', ' ')

export const IconRow = ({ value, onChange }: Props) => {
  const group = useId()
  return (
    <fieldset className={css.icons}>
      <legend>Icon</legend>
      {NAMES.map((name) => (
        <label key={name} title={toIconText(name)}>
          <input
            type="radio"
            className="sr"
            name={group}
            aria-label={toIconText(name)}
            checked={name === value}
            onChange={() => onChange(name)}
          />
          <KindIcon name={name} />
        </label>
      ))}
    </fieldset>
  )
}
