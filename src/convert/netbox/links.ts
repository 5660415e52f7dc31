/** Cables between interfaces of two devices are relationships as well. */
import type { EstateRow } from '../converter.ts'
import type { Interface, Interfaces } from './interfaces.ts'
import { type Mapping, toRef } from './mapping.ts'
import type { CableEnds } from './model.ts'

const DEVICE = 'dcim.device'
const MAX_NOTES = 4096

type Link = { readonly parent: number; readonly child: number; notes: string }

/** Adds a line of notes, from the parent to the child. */
const addLine = ({ report }: Mapping, link: Link, cable: number, line: string): void => {
  const notes = link.notes === '' ? line : `${link.notes}\n${line}`
  if (notes.length <= MAX_NOTES) link.notes = notes
  else report.left('dcim.cable.notes', 'is longer than the notes', { id: cable, value: line })
}

const getDeviceId = ({ object }: Interface): number => Number(object.device)

/** Returns one relationship for each pair of devices. */
export const buildLinks = (
  mapping: Mapping,
  interfaces: Interfaces,
  cables: ReadonlyMap<number, CableEnds>,
): EstateRow[] => {
  const links = new Map<string, Link>()
  const findInterfaces = (ends: CableEnds['a']): Interface[] =>
    ends.flatMap((end) => (end.kind === 'dcim.interface' ? (interfaces.find(end) ?? []) : []))
  for (const [cable, ends] of cables) {
    for (const a of findInterfaces(ends.a))
      for (const b of findInterfaces(ends.b)) {
        const [from, to] = [getDeviceId(a), getDeviceId(b)]
        if (from === to) continue
        const key = from < to ? `${from} ${to}` : `${to} ${from}`
        const known = links.get(key)
        const link = known ?? { parent: from, child: to, notes: '' }
        if (!known) links.set(key, link)
        addLine(mapping, link, cable, link.parent === from ? `${a.name} - ${b.name}` : `${b.name} - ${a.name}`)
      }
  }
  return [...links.values()].map(({ parent, child, notes }) => ({
    parent: toRef(DEVICE, parent),
    child: toRef(DEVICE, child),
    type: 'connected_to',
    notes,
  }))
}
