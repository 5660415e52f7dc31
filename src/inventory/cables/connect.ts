/** Connects the ports that LLDP named, where neither has a cable. */

import { AppError } from '../../contract/errors.ts'
import { parse } from '../../contract/validate.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { parseMac } from '../../net/mac.ts'
import { toNameKey } from '../../net/name-order.ts'
import * as ports from '../ports/store.ts'
import { CableDraft } from './api.ts'
import { create } from './cables.ts'

/** A port of a device as a neighbor names it. */
export type NamedEnd = {
  readonly device_id: string
  /** Its name, or its MAC address. */
  readonly port: string
  /** The name of a port that is given by its MAC address. */
  readonly description?: string
}

type GivenEnd = Pick<NamedEnd, 'device_id' | 'port'> | { readonly port_id: string }

/**
 * Returns the port that has the MAC address, or the one of them that is named by the description: bonds and VLANs share a MAC.
 * Without a port of that MAC the description is the name. Returns undefined where neither names one port.
 */
const findEnd = async (ctx: Ctx, { device_id, port, description }: NamedEnd): Promise<GivenEnd | undefined> => {
  const mac = parseMac(port)
  if (mac === undefined) return { device_id, port }
  const having = (await ports.findOfDevices(ctx, [device_id])).filter(({ mac_address }) => mac_address === mac)
  const [only, ...others] = having
  if (only && others.length === 0) return { port_id: only.id }
  const isNamed = only === undefined || having.some(({ name }) => toNameKey(name) === toNameKey(description ?? ''))
  return description !== undefined && isNamed ? { device_id, port: description } : undefined
}

/** Makes a cable, and the ports that are missing. Does nothing where an end is taken, or the caller may not make them. */
export const connectIfFree = async (ctx: Ctx, one: NamedEnd, other: NamedEnd): Promise<void> => {
  const { permissions } = ctx.caller
  if (!permissions.has('cables:create') || !permissions.has('ports:create')) return
  const [a, b] = [await findEnd(ctx, one), await findEnd(ctx, other)]
  if (!a || !b) return
  try {
    await create(ctx, parse(CableDraft, { a, b }))
  } catch (error) {
    // Refused before the first write: a documented cable stays, and names that are none of ports make none.
    if (!(error instanceof AppError && error.code === 'VALIDATION_ERROR')) throw error
  }
}
