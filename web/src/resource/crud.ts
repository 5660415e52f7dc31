/** How the objects of a resource are read and written by its operations. */
import type { AnyOperation, InputOf } from '../../../src/kernel/operation.ts'
import { call, callTagged, write } from '../api/client.ts'
import type { Change, Out } from '../api/contracts.ts'
import { type Input, isKept, type Resource } from './resource.ts'

type Crud = Readonly<Record<'get' | 'create' | 'update' | 'delete', AnyOperation>>
type Shared = 'operations' | 'get' | 'create' | 'update' | 'remove' | 'preview'

/** Returns the parts that are the same in all resources. */
export const createCrud = <C extends Crud>(operations: C): Pick<Resource<Out<C['get']>>, Shared> => {
  // A form has every field that is required; the server validates their values.
  const toInput = <O extends AnyOperation>(_: O, input: Input) => input as InputOf<O>
  const run = (op: C['create'] | C['update'], input: Input, headers = {}) =>
    // Both answer with the object that `get` reads.
    call(op, toInput(op, input), { headers }) as Promise<Out<C['get']>>
  // The answer of a dry run is the change that the call would make.
  const preview = (id: string) =>
    call(operations.delete, toInput(operations.delete, { id, dry_run: 'changes' })) as Promise<Change>
  return {
    operations,
    get: (id) => callTagged(operations.get as C['get'], toInput<C['get']>(operations.get, { id })),
    create: (input) => run(operations.create, input),
    update: (id, input, etag) => run(operations.update, { ...input, id }, { 'If-Match': etag }),
    remove: (id, fields) => write(operations.delete, { ...fields, id }),
    ...(isKept(operations.delete) && { preview }),
  }
}
