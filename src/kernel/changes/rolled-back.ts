/** Carries the result out of a transaction that is rolled back. */
export class RolledBack extends Error {
  override readonly name = 'RolledBack'
  constructor(readonly value: unknown) {
    super('the dry run is rolled back')
  }
}
