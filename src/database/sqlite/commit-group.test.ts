import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommitGroup, type Notes } from './commit-group.ts'

let dir: string
let database: Database
let group: CommitGroup
/** The tables written by each commit, in order. */
let commits: string[][]

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plat-group-'))
  database = new Database(join(dir, 'plat.db'), { create: true, strict: true })
  database.run('PRAGMA journal_mode = WAL')
  database.run('CREATE TABLE t (id TEXT PRIMARY KEY)')
  commits = []
  group = new CommitGroup(database, ({ touched }) => commits.push([...touched].sort()))
})
afterEach(() => {
  database.close()
  rmSync(dir, { recursive: true })
})

const insert = (id: string) => database.run('INSERT INTO t VALUES (?)', [id])
const add = (id: string, { exclusive = false } = {}) =>
  group.run(
    async (_, { touched }) => {
      insert(id)
      touched.add('t')
    },
    { exclusive },
  )
const ids = () =>
  database
    .query<{ id: string }, []>('SELECT id FROM t ORDER BY id')
    .all()
    .map(({ id }) => id)
const failed = async (work: Promise<unknown>): Promise<boolean> => {
  const [outcome] = await Promise.allSettled([work])
  return outcome.status === 'rejected'
}

describe('a commit', () => {
  test('is shared by the writes that came together', async () => {
    await Promise.all(['a', 'b', 'c'].map((id) => add(id)))
    expect(commits).toHaveLength(1)
  })

  test('is shared by the writes that came while the last one was under way', async () => {
    const later: Promise<void>[] = []
    await group.run(async () => void later.push(add('b'), add('c')))
    await Promise.all(later)
    expect(commits).toHaveLength(2)
  })

  test('holds 64 writes at most', async () => {
    await Promise.all(Array.from({ length: 130 }, (_, i) => add(`${i}`)))
    expect(commits).toHaveLength(3)
  })

  test('keeps the order in which writes came', async () => {
    const order: number[] = []
    const works = [3, 1, 2].map((n) => group.run(async () => void order.push(n)))
    await Promise.all(works)
    expect(order).toEqual([3, 1, 2])
  })

  test('answers its writes in the order in which they came', async () => {
    const order: string[] = []
    await Promise.all(['a', 'b', 'c'].map((id) => add(id).then(() => order.push(id))))
    expect(order).toEqual(['a', 'b', 'c'])
  })

  test('is behind a write once that is answered', async () => {
    await add('a')
    const other = new Database(join(dir, 'plat.db'), { readonly: true })
    expect(other.query('SELECT id FROM t').all()).toEqual([{ id: 'a' }])
    other.close()
  })

  test('that fails rejects every write in it', async () => {
    database.run('PRAGMA foreign_keys = ON')
    database.run('CREATE TABLE late (id TEXT REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED)')
    const dangling = group.run(async () => void database.run("INSERT INTO late VALUES ('nothing')"))
    const outcomes = await Promise.allSettled([add('a'), dangling, add('b')])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(ids()).toEqual([])
  })

  test('that fails is followed by one that succeeds', async () => {
    database.run('PRAGMA foreign_keys = ON')
    database.run('CREATE TABLE late (id TEXT REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED)')
    await failed(group.run(async () => void database.run("INSERT INTO late VALUES ('nothing')")))
    await add('a')
    expect(ids()).toEqual(['a'])
  })

  test('that fails touches nothing', async () => {
    database.run('PRAGMA foreign_keys = ON')
    database.run('CREATE TABLE late (id TEXT REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED)')
    await failed(
      group.run(async (_, { touched }) => {
        touched.add('late')
        database.run("INSERT INTO late VALUES ('nothing')")
      }),
    )
    expect(commits).toEqual([])
  })

  test('without a transaction left under it answers nothing as done', async () => {
    // Simulates a full disk: SQLite ends the whole transaction itself.
    const fatal = group.run(async () => {
      database.run('ROLLBACK')
      throw new Error('database or disk is full')
    })
    const outcomes = await Promise.allSettled([add('a'), fatal, add('b')])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  })
})

describe('a write', () => {
  test('that fails in a shared commit leaves the others', async () => {
    const works = ['a', 'b', 'c'].map((id) =>
      group.run(async () => {
        insert(id)
        if (id === 'b') throw new Error('no')
      }),
    )
    await Promise.allSettled(works)
    expect(ids()).toEqual(['a', 'c'])
  })

  test('that fails by itself leaves nothing', async () => {
    const work = group.run(async () => {
      insert('a')
      throw new Error('no')
    })
    expect([await failed(work), ids()]).toEqual([true, []])
  })

  test('that fails by itself commits nothing', async () => {
    await failed(group.run(() => Promise.reject(new Error('no'))))
    expect(commits).toEqual([])
  })

  test('that fails does not count as having touched anything', async () => {
    const failing = group.run(async (_, { touched }) => {
      touched.add('x')
      throw new Error('no')
    })
    await Promise.allSettled([failing, add('a')])
    expect(commits).toEqual([['t']])
  })

  test('that throws at once, without a promise, fails like any other', async () => {
    const work = group.run(() => {
      throw new Error('no')
    })
    expect(await failed(work)).toBe(true)
  })

  test('an exclusive write shares no commit with the writes before and after it', async () => {
    await Promise.all([add('a'), add('b'), add('long', { exclusive: true }), add('c'), add('d')])
    expect(commits).toHaveLength(3)
  })

  test('does not wait for the disk if all its writes defer the sync', async () => {
    const [normal, full] = [1, 2]
    const modes: number[] = []
    const look = (deferSync: boolean) => {
      const note = async () => {
        modes.push(database.query<{ synchronous: number }, []>('PRAGMA synchronous').get()?.synchronous ?? -1)
      }
      return group.run(note, { deferSync })
    }
    await look(true)
    await look(false)
    await look(true)
    await Promise.all([look(true), look(false)])
    expect(modes).toEqual([normal, full, normal, full, full])
  })

  test('an exclusive write keeps its place in the order', async () => {
    const order: string[] = []
    const note = (name: string, exclusive: boolean) => group.run(async () => void order.push(name), { exclusive })
    await Promise.all([note('a', false), note('long', true), note('b', false), note('long', true)])
    expect(order).toEqual(['a', 'long', 'b', 'long'])
  })

  test('that waits for the event loop stays exclusive', async () => {
    const order: string[] = []
    const slow = group.run(async () => {
      order.push('begin')
      await new Promise((resolve) => setImmediate(resolve))
      order.push('end')
    })
    await Promise.all([slow, group.run(async () => void order.push('next'))])
    expect(order).toEqual(['begin', 'end', 'next'])
  })
})

describe('a group', () => {
  test('is settled when nothing is under way', async () => {
    await group.settled()
    expect(commits).toEqual([])
  })

  test('is settled after all that waits', async () => {
    const works = [add('a'), add('b', { exclusive: true })]
    await group.settled()
    expect(ids()).toEqual(['a', 'b'])
    await Promise.all(works)
  })

  test('on a closed database rejects its writes, every time', async () => {
    const other = new Database(':memory:')
    const closed = new CommitGroup(other, () => {})
    other.close()
    const outcomes = [await failed(closed.run(async () => {})), await failed(closed.run(async () => {}))]
    expect(outcomes).toEqual([true, true])
  })

  test('of long writes yields to the event loop', async () => {
    let turns = 0
    const count = () => {
      turns++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    const think = (ms: number) => {
      const end = performance.now() + ms
      while (performance.now() < end);
    }
    await Promise.all(Array.from({ length: 20 }, () => group.run(async () => think(5))))
    clearImmediate(timer)
    expect(turns).toBeGreaterThan(4)
  })

  test('is followed by a turn of the event loop, though its writer is back in line at once', async () => {
    await add('first')
    let hasTurned = false
    setImmediate(() => {
      hasTurned = true
    })
    for (const id of ['a', 'b', 'c']) await add(id)
    expect(hasTurned).toBe(true)
  })
})

describe('work between two transactions', () => {
  const { promise: rest, resolve: wake } = Promise.withResolvers<void>()
  let isResting = false
  const restingGroup = () =>
    new CommitGroup(database, () => {}, {
      between: () => {
        isResting = true
        return rest
      },
    })

  test('delays the next transaction, and no completed write', async () => {
    const other = restingGroup()
    await other.run(async () => insert('a'))
    const next = other.run(async () => insert('b'))
    while (!isResting) await Bun.sleep(1)
    const before = ids()
    wake()
    await next
    expect([before, ids()]).toEqual([['a'], ['a', 'b']])
  })
})

describe('the end of a transaction', () => {
  const seen: { errors: string[]; isOpen: boolean }[] = []
  const watchedGroup = () =>
    new CommitGroup(database, () => {}, {
      ended: (errors) => seen.push({ errors: errors.map(String), isOpen: database.inTransaction }),
    })
  beforeEach(() => void seen.splice(0))

  test('is reported outside of it, when all of it was committed', async () => {
    await watchedGroup().run(async () => insert('a'))
    expect(seen).toEqual([{ errors: [], isOpen: false }])
  })

  test('is reported with its error', async () => {
    const other = watchedGroup()
    const refuse = async () => {
      throw new Error('refused')
    }
    await Promise.allSettled([other.run(async () => insert('a')), other.run(refuse)])
    expect(seen).toEqual([{ errors: ['Error: refused'], isOpen: false }])
  })
})

describe('work deferred to the commit', () => {
  let batches: string[][]
  let isBroken: boolean
  const batch = async (_: unknown, ids: readonly string[]) => {
    batches.push([...ids])
    if (isBroken) throw new Error('broken')
    for (const id of ids) insert(`left by ${id}`)
  }
  const leaving = () => {
    // The batch uses the database of the test.
    const finish = ({ atCommit }: Notes) => atCommit.run(undefined as never)
    const other = new CommitGroup(database, () => {}, { finish })
    return (id: string) =>
      other.run(async (_, { atCommit }) => {
        atCommit.add(batch, [id])
        insert(id)
      })
  }
  beforeEach(() => {
    batches = []
    isBroken = false
  })

  test('is done once for all of the group', async () => {
    const write = leaving()
    await Promise.all(['a', 'b'].map(write))
    expect([batches, ids()]).toEqual([[['a', 'b']], ['a', 'b', 'left by a', 'left by b']])
  })

  test('is not done for a write that failed', async () => {
    insert('b')
    const write = leaving()
    await Promise.allSettled(['a', 'b', 'c'].map(write))
    expect(batches).toEqual([['a', 'c']])
  })

  test('fails the commit where it fails', async () => {
    isBroken = true
    const write = leaving()
    const outcomes = await Promise.allSettled(['a', 'b'].map(write))
    expect([outcomes.map(({ status }) => status), ids()]).toEqual([['rejected', 'rejected'], []])
  })
})
