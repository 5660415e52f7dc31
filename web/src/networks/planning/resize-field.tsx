/** The subnet in the form of a network, with the networks and free blocks that a change of it brings in and leaves out. */
import { useDeferredValue, useMemo } from 'react'
import type { Network } from '../../api/contracts.ts'
import type { ControlInput, FieldSpec } from '../../resource/resource.ts'
import { TextField } from '../../ui/field.tsx'
import { plural } from '../../ui/format.ts'
import { fields } from '../fields.ts'
import css from '../space.module.css'
import { createResizer, type Part } from './resize.ts'

/** The largest number of networks, and of free blocks, that are listed. */
const MOST_LISTED = 12

const { label } = fields.subnet
const { hint, isMono = false, isRequired = false } = fields.subnet.form || {}

type MoreProps = { readonly all: readonly unknown[]; readonly noun: string }

const More = ({ all, noun }: MoreProps) =>
  all.length > MOST_LISTED && <li>and {plural(all.length - MOST_LISTED, `more ${noun}`)}</li>

type PartListProps = { readonly title: string; readonly part: Part }

const PartList = ({ title, part: { networks, free } }: PartListProps) =>
  networks.length + free.length > 0 && (
    <>
      <b>{title}</b>
      <ul>
        {networks.slice(0, MOST_LISTED).map(({ network: { id, subnet, name }, nested }) => (
          <li key={id}>
            <span className="mono">{subnet}</span> {name}
            {nested > 0 && `, with ${plural(nested, 'network')} in it`}
          </li>
        ))}
        <More all={networks} noun="network" />
        {free.slice(0, MOST_LISTED).map((subnet) => (
          <li key={subnet}>
            <span className="mono">{subnet}</span> free
          </li>
        ))}
        <More all={free} noun="free block" />
      </ul>
    </>
  )

type Known = { readonly networks: readonly Network[]; readonly id: string }

const ResizeField = ({ networks, id, value, onChange, error, values }: Known & ControlInput) => {
  const space_id = values.space_id || undefined
  const resizeOf = useMemo(() => createResizer(networks, id), [networks, id])
  // A short prefix, as typed on the way to a longer one, brings in all networks.
  const subnet = useDeferredValue(value.trim())
  const resize = useMemo(() => resizeOf({ subnet, space_id }), [resizeOf, subnet, space_id])
  return (
    <div>
      <TextField {...{ label, hint, error, value, onChange, isMono }} required={isRequired} />
      <div role="status" aria-label="Effect on the subnet" className={css.resize}>
        {resize && <PartList title="Comes in" part={resize.comesIn} />}
        {resize && <PartList title="Goes out" part={resize.goesOut} />}
      </div>
    </div>
  )
}

/** Returns the control of the field in the form of a network that exists. @param id undefined for a new one */
export const buildResizeControl = (
  networks: readonly Network[],
  id: string | undefined,
): Partial<FieldSpec> | undefined =>
  id === undefined ? undefined : { render: (input) => <ResizeField networks={networks} id={id} {...input} /> }
