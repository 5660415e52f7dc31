/** Declares what a report is: how its findings are found, in which order, and how they are described. */
import type { RawBuilder } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Permission } from '../../kernel/operation.ts'
import type { Finding, Parameter } from './api.ts'

/** A finding before it is described. */
export type Found = {
  /** Of its object. */
  readonly id: string
  /** '' for none. */
  readonly since: string
  /** Tells findings of one object from each other; '' if there is only one. */
  readonly item: string
}

export type Params = {
  readonly days: number
  readonly min: number
}

/** The parts of the database that a report reads. */
export type Scope = {
  /** The objects that the caller may list. */
  readonly ctx: Ctx
  /** The whole estate, for the facts by which an object is a finding or is none. */
  readonly whole: Ctx
}

/** The columns that a query finds: the fields of `Found`, and the position among findings of one time. */
export type FoundQuery = RawBuilder<Found & { readonly name_order: string }>

/** Returns the finding; undefined if its object is gone by now, or is a finding no more. */
export type Describe = (found: Found) => Finding | undefined

type Findable =
  | {
      /** A statement without an order. */
      readonly query: (scope: Scope, params: Params) => FoundQuery
    }
  | {
      /** Finds in the order of findings, which SQL cannot decide by itself. */
      readonly find: (scope: Scope, params: Params) => Promise<readonly Found[]>
    }

export type Report = Findable & {
  readonly name: string
  readonly title: string
  readonly description: string
  /** The table of the objects, if facts of the whole estate decide: findings are the objects that the caller may list. */
  readonly owner?: 'devices' | 'networks' | 'reservations'
  /** The permissions that it needs beside `reports:read`. */
  readonly permissions: readonly [Permission, ...Permission[]]
  /** The default of the parameter; null for a report without it. */
  readonly days: number | null
  readonly uses: readonly Parameter[]
  /** The tables of its ETag; undefined for a report that changes with time. */
  readonly tables?: readonly (keyof Tables & string)[]
  /** Reads the objects of findings, for their descriptions. */
  readonly describe: (scope: Scope, found: readonly Found[]) => Promise<Describe>
}

/** The fields of a finding that have no value, for findings to fill in. */
export const EMPTY = {
  ...{ ip_address: '', mac_address: '', network_id: null, datacenter_id: null },
  ...{ since: null, value: null, details: {} },
} as const satisfies Partial<Finding>

const DAY_MS = 24 * 60 * 60 * 1000

/** Returns the moment some days ago, as it is stored. */
export const daysAgo = ({ now }: Pick<Ctx, 'now'>, days: number): string =>
  new Date(Date.parse(now) - days * DAY_MS).toISOString()

/** Returns the whole days from one moment to another; negative if the second is the earlier one. */
export const countDays = (from: string, to: string): number => Math.floor((Date.parse(to) - Date.parse(from)) / DAY_MS)

/** @example formatDays(1) // '1 day' */
export const formatDays = (days: number): string => `${days} ${days === 1 ? 'day' : 'days'}`

/** Returns the moment of a finding; null for ''. */
export const toMoment = (since: string): string | null => (since === '' ? null : since)
