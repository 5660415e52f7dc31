/** The resources that the registry creates, reads, updates and deletes, and what their contracts say about them. */
import { z } from 'zod'
import { toSingular } from '../contract/command-name.ts'
import type { AnyOperation, OperationSet, Permission } from '../kernel/operation.ts'

export type CrudResource = {
  /** The plural noun in the names of operations: `discovery-rules`. */
  readonly name: string
  /** The singular noun: `discovery-rule`. */
  readonly noun: string
  /** The permission to read an object. */
  readonly permission: Permission
  readonly create: AnyOperation
  readonly update: AnyOperation
  /** Returns the fields that a caller can both set and read, except lists and objects; never secrets. */
  readonly fields: () => readonly string[]
}

const isList = (field: z.ZodType): boolean =>
  field instanceof z.ZodOptional || field instanceof z.ZodNullable
    ? // The wrapped type is a schema of this library. Its declaration is wider.
      isList(field.unwrap() as z.ZodType)
    : field instanceof z.ZodArray || field instanceof z.ZodObject || field instanceof z.ZodRecord

const listFields = (create: AnyOperation, get: AnyOperation): readonly string[] => {
  const shape = get.output instanceof z.ZodObject ? get.output.shape : {}
  // The shape of an object contains schemas of this library.
  const isShown = (name: string) => Object.hasOwn(shape, name) && !isList(shape[name] as z.ZodType)
  return Object.keys(create.input.shape).filter((name) => name !== 'id' && isShown(name))
}

const buildResource = ({ get, create, update, delete: remove }: OperationSet): CrudResource | undefined => {
  if (!get || !create || !update || !remove || typeof get.access !== 'string' || !get.access.includes(':'))
    return undefined
  const name = get.name.slice(0, get.name.indexOf('.'))
  let fields: readonly string[] | undefined
  return {
    name,
    noun: toSingular(name),
    // The text was just checked; the other accesses contain no colon.
    permission: get.access as Permission,
    create,
    update,
    fields: () => {
      fields ??= listFields(create, get)
      return fields
    },
  }
}

/** @param contracts of all features */
export const listCrudResources = (contracts: Readonly<Record<string, OperationSet>>): readonly CrudResource[] =>
  Object.values(contracts).flatMap((set) => buildResource(set) ?? [])
