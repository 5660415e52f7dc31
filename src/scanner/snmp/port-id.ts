/** A port as LLDP identifies it: a kind, an id of this kind, a description (LLDP-MIB, IEEE 802.1AB). Pure. */
import { toMac, toText } from './values.ts'

export type PortId = {
  readonly kind: number
  readonly id: unknown
  readonly description: string
}

const MAC_PORT = 3

/** Returns the MAC of an id of the given kind, else its text. */
export const formatId = (kind: number, id: unknown, macKind: number): string =>
  (kind === macKind ? toMac(id) : undefined) ?? toText(id)

export const formatPortId = ({ kind, id }: Pick<PortId, 'kind' | 'id'>): string => formatId(kind, id, MAC_PORT)
