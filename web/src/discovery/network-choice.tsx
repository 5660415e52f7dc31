/** A form field that selects a network by a part of its name or subnet, because the list may be long. */
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useCallback, useId, useState } from 'react'
import { cidrHolds, parseCidr } from '../../../src/net/cidr.ts'
import { parseIp } from '../../../src/net/ip.ts'
import type { Network } from '../api/contracts.ts'
import { networksQuery } from '../api/queries.ts'
import { usePermit } from '../shell/me.ts'
import { SpaceBadge, useSpaces } from '../spaces/known-spaces.tsx'
import fieldCss from '../ui/field.module.css'
import { Field } from '../ui/field.tsx'
import css from './start.module.css'

const MOST = 30
const NONE: readonly Network[] = []

export const useNetworks = (): readonly Network[] => {
  const { may } = usePermit()
  return useQuery({ ...networksQuery, enabled: may('networks:list') }).data ?? NONE
}

type LabelOf = (network: Network) => string

/** Returns the label of a network: its name, its subnet, and its address space unless that is the default one. */
export const useNetworkLabel = (): LabelOf => {
  const spaces = useSpaces()
  return useCallback(
    ({ name, subnet, space_id }) => {
      const space = space_id === undefined ? [] : [spaces.find(({ id }) => id === space_id)?.name ?? space_id]
      return [name, subnet, ...space].join(' · ')
    },
    [spaces],
  )
}

/** An address matches the networks that contain it. */
const matching = (networks: readonly Network[], text: string, labelOf: LabelOf): Network[] => {
  const ip = parseIp(text)
  const words = text.toLowerCase().split(/\s+/)
  const isHit = (network: Network): boolean => {
    const cidr = ip && parseCidr(network.subnet)
    if (ip && cidr) return cidrHolds(cidr, ip)
    return words.every((word) => labelOf(network).toLowerCase().includes(word))
  }
  return networks.filter(isHit).slice(0, MOST)
}

type Props = {
  readonly value: string
  readonly onChange: (id: string) => void
  readonly error?: string | undefined
  /** Shows the value without permitting a change. */
  readonly isFixed?: boolean
}

export const NetworkChoice = ({ value, onChange, error, isFixed = false }: Props) => {
  const networks = useNetworks()
  const labelOf = useNetworkLabel()
  const listId = useId()
  /** Undefined while the user is not typing. Then the field shows the selected network. */
  const [text, setText] = useState<string>()
  const [active, setActive] = useState(0)
  const chosen = networks.find(({ id }) => id === value)
  const options = text === undefined ? [] : matching(networks, text.trim(), labelOf)
  const current = Math.min(active, options.length - 1)
  const optionId = (index: number) => `${listId}-${index}`
  const choose = (network: Network | undefined) => {
    if (network) onChange(network.id)
    setText(undefined)
    setActive(0)
  }
  const onKey = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by !== 0) {
      event.preventDefault()
      if (text === undefined) setText('')
      else setActive((current + by + options.length) % Math.max(1, options.length))
    } else if (event.key === 'Enter' && text !== undefined) {
      event.preventDefault()
      choose(options[current])
    } else if (event.key === 'Escape' && text !== undefined) {
      // Escape closes only the list, not the drawer around it.
      event.preventDefault()
      event.stopPropagation()
      setText(undefined)
    }
  }
  return (
    <Field label="Network" error={error} isRequired>
      {(wiring) => (
        <div className={css.combobox}>
          <input
            {...wiring}
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={options.length > 0}
            aria-controls={options.length > 0 ? listId : undefined}
            aria-activedescendant={options[current] ? optionId(current) : undefined}
            className={fieldCss.control}
            autoComplete="off"
            spellCheck={false}
            readOnly={isFixed}
            placeholder="A part of its name, its subnet, or an address"
            value={text ?? (chosen ? labelOf(chosen) : value)}
            onChange={(event) => {
              setText(event.target.value)
              setActive(0)
            }}
            onClick={() => !isFixed && setText((old) => old ?? '')}
            onBlur={() => setText(undefined)}
            onKeyDown={isFixed ? undefined : onKey}
          />
          {options.length > 0 && (
            <div id={listId} role="listbox" aria-label="Networks" className={css.options}>
              {options.map((network, index) => (
                <div
                  key={network.id}
                  id={optionId(index)}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === current}
                  className={css.option}
                  // Runs before the field loses the focus.
                  onPointerDown={(event) => {
                    event.preventDefault()
                    choose(network)
                  }}
                >
                  <span className="truncate">{network.name}</span>
                  <span className="mono muted">{network.subnet}</span>
                  <SpaceBadge space_id={network.space_id} />
                </div>
              ))}
            </div>
          )}
          {text !== undefined && text.trim() !== '' && options.length === 0 && (
            <p className={css.noOption} role="status">
              No network has this name.
            </p>
          )}
        </div>
      )}
    </Field>
  )
}
