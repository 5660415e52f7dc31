/** One object of a source: its differences, its facts, and the object of the inventory that it is. */
import { useState } from 'react'
import { usePermit } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import fieldCss from '../../ui/field.module.css'
import { Drawer } from '../../ui/layers.tsx'
import { Badge, CopyText, Facts, TimeAgo } from '../../ui/primitives.tsx'
import { getResourceNoun } from '../labels.ts'
import type { Source } from '../queries.ts'
import { LinkDialog } from './link-dialog.tsx'
import { ObjectLink } from './object-link.tsx'
import type { SourceObject } from './queries.ts'
import { getVerdict, listDifferences, listNotes } from './words.ts'

type Props = { readonly source: Source; readonly object: SourceObject; readonly onClose: () => void }

export const ObjectDrawer = ({ source, object, onClose }: Props) => {
  const { blocked } = usePermit()
  const [isLinking, setLinking] = useState(false)
  const { tone, text } = getVerdict(object)
  const { name, type, place, key, resource, object_id, why, because, first_seen_at, updated_at, facts } = object
  const [values, notes] = [listDifferences(object), listNotes(object)]
  const noun = getResourceNoun(resource)
  return (
    <Drawer title={name} onClose={onClose} isWide>
      <div className={fieldCss.body}>
        <section className={fieldCss.block}>
          <Facts
            facts={[
              [
                'State',
                <Badge key="state" tone={tone}>
                  {text}
                </Badge>,
              ],
              ['Why', notes.join(' ')],
              [
                'Is',
                object_id === null ? (
                  `no ${noun} yet`
                ) : (
                  <ObjectLink key="is" resource={resource} object_id={object_id} name={name} why={why} />
                ),
              ],
              ['Found by', because],
              ['Type', type !== noun && type],
              ['Place', place],
              ['Id there', <CopyText key="key" text={key} label="id" />],
              ['First read', <TimeAgo key="first" at={first_seen_at} />],
              ['Changed', <TimeAgo key="changed" at={updated_at} />],
            ]}
          />
        </section>
        {values.length > 0 && (
          <section className={fieldCss.block}>
            <h3>What differs</h3>
            <Facts
              facts={values.map(({ label, from, text: now }) => [label, from === undefined ? now : `${from} → ${now}`])}
            />
          </section>
        )}
        {Object.keys(facts).length > 0 && (
          <section className={fieldCss.block}>
            <h3>Facts of the last run</h3>
            <Facts facts={Object.entries(facts)} />
          </section>
        )}
      </div>
      <footer className={fieldCss.foot}>
        {resource !== 'relationships' && (
          <Button onClick={() => setLinking(true)} blocked={blocked('sources:update')}>
            Link to another {noun} …
          </Button>
        )}
        <Button onClick={onClose}>Close</Button>
      </footer>
      {isLinking && <LinkDialog source={source} object={object} onClose={() => setLinking(false)} />}
    </Drawer>
  )
}
