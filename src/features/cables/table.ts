/** The tables of cables. */
import type { Side } from '../ports/end.ts'
import type { Cable } from './api.ts'

export type CableRow = {
  id: string
  a_port_id: string
  a_side: Side
  b_port_id: string
  b_side: Side
  type: string
  label: string
  /** Lower case, for the order of lists and for filters. */
  label_key: string
  color: string
  length_m: number | null
  status: Cable['status']
  description: string
  /** JSON. */
  refs: string
  /** JSON; null without values. */
  custom: string | null
  managed_by: string
  created_at: string
  updated_at: string
}

/** A side of a port with a cable, and the other end of the cable. Each cable has two. */
export type CableEndRow = {
  port_id: string
  side: Side
  cable_id: string
  other_port_id: string
  other_side: Side
}

export type CableTables = { cables: CableRow; cable_ends: CableEndRow }
