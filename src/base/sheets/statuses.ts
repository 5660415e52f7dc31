/** Values of choices as people write them. Browser-safe. */

const list = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Other words for a value, in which nothing is lost. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  active: list(
    'aktiv actif active online up running live production inproduction inuse used enabled deployed inbetrieb enservice enligne ok',
  ),
  planned: list('geplant planifie prevu planning'),
  maintenance: list('wartung inwartung enmaintenance'),
  decommissioned: list('stillgelegt ausserbetrieb horsservice retired'),
  connected: list('verbunden connecte up active aktiv actif'),
  contains: list('enthalt contient'),
}

/** States of other programs that have a near one here, as the import of NetBox has it. */
const NEAR: Readonly<Record<string, readonly string[]>> = {
  planned: list('staged inventory reserved spare'),
  maintenance: list('offline failed down unreachable inactive inaktiv inactif disabled horsligne'),
  decommissioned: list('decommissioning disposed removed'),
}

const MARKS = /[\u0300-\u036f]/g
const normalize = (text: string): string =>
  text
    .normalize('NFD')
    .replace(MARKS, '')
    .replaceAll('ß', 'ss')
    .toLowerCase()
    .replace(/[\s_-]+/g, '')

export type Choice = {
  readonly value: string
  /** The cell says more than the value. */
  readonly isNear?: true
}

/** Returns the value of a choice that a text means in any case; the text itself for none, which its field refuses. */
export const readChoice = (of: readonly string[], text: string): Choice => {
  if (of.includes(text)) return { value: text }
  const word = normalize(text)
  const own = of.find((value) => normalize(value) === word) ?? of.find((value) => SAME[value]?.includes(word))
  if (own !== undefined) return { value: own }
  const near = of.find((value) => NEAR[value]?.includes(word))
  return near === undefined ? { value: text } : { value: near, isNear: true }
}
