/** The numbers that networks use and no VLAN names, each with a button that names it. */
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { Card } from '../ui/primitives.tsx'
import type { UnnamedNumber } from './names.ts'
import css from './vlans.module.css'

type Props = {
  readonly numbers: readonly UnnamedNumber[]
  /** The names of datacenters by their ids. */
  readonly names: ReadonlyMap<string, string>
  readonly onName: (number: UnnamedNumber) => void
  /** Why nothing can be named. */
  readonly blocked: string | undefined
}

/** The others are shown on demand. */
const MAX_NUMBERS_SHOWN = 12

export const Unnamed = ({ numbers, names, onName, blocked }: Props) => {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? numbers : numbers.slice(0, MAX_NUMBERS_SHOWN)
  return (
    <div className={css.unnamed}>
      <Card title="Numbers without a name">
        <ul className={css.numbers}>
          {shown.map((one) => {
            const place = one.datacenter_id === null ? '' : (names.get(one.datacenter_id) ?? one.datacenter_id)
            return (
              <li key={`${one.vlan_id} ${one.datacenter_id}`}>
                <span className="mono">{one.vlan_id}</span>
                <span className="truncate">
                  {place}{' '}
                  <span className="muted">{one.count === 1 ? '1 network' : `${formatCount(one.count)} networks`}</span>
                </span>
                <Button
                  onClick={() => onName(one)}
                  blocked={blocked}
                  aria-label={`Name ${one.vlan_id}${place && ` in ${place}`}`}
                >
                  Name
                </Button>
              </li>
            )
          })}
        </ul>
        {shown.length < numbers.length && (
          <Button look="quiet" onClick={() => setWhole(true)}>
            Show all {formatCount(numbers.length)}
          </Button>
        )}
      </Card>
    </div>
  )
}
