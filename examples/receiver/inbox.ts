// What was received and is still to be worked on, in a file of its own. The id of an event is its key, so that a call that
// comes twice is one event; the newest sequence of each subject is remembered, so that old news is known as such.

import { DatabaseSync } from 'node:sqlite'
import type { ReceivedEvent } from './receiver.ts'

export interface Inbox {
  keep(event: ReceivedEvent): void
  // Hands over the oldest event that is not done, and takes it as done when `work` is. False when there is none.
  // `isNewest` is false where a later event of the same subject was worked on before.
  next(work: (event: ReceivedEvent, isNewest: boolean) => Promise<void>): Promise<boolean>
  close(): void
}

export function openInbox(path: string): Inbox {
  const db = new DatabaseSync(path)
  db.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    create table if not exists events (
      id text primary key, subject_id text not null, sequence integer not null, body text not null, done_at integer);
    create index if not exists events_open on events (done_at) where done_at is null;
    create table if not exists subjects (id text primary key, sequence integer not null);
  `)
  const insert = db.prepare(
    'insert into events (id, subject_id, sequence, body) values (?, ?, ?, ?) on conflict do nothing',
  )
  const oldest = db.prepare('select body from events where done_at is null order by rowid limit 1')
  const newest = db.prepare('select sequence from subjects where id = ?')
  const finish = db.prepare('update events set done_at = ? where id = ?')
  const remember = db.prepare(`
    insert into subjects (id, sequence) values (?, ?)
    on conflict (id) do update set sequence = max(sequence, excluded.sequence)`)

  return {
    keep(event) {
      insert.run(event.id, event.subject.id, event.sequence, JSON.stringify(event))
    },
    async next(work) {
      const row = oldest.get()
      if (!row) return false
      const event = JSON.parse(String(row.body)) as ReceivedEvent
      const seen = Number(newest.get(event.subject.id)?.sequence ?? 0)
      // If this process ends here, the work is done again: it must be safe to repeat.
      await work(event, event.sequence > seen)
      db.exec('begin immediate')
      remember.run(event.subject.id, event.sequence)
      finish.run(Date.now(), event.id)
      db.exec('commit')
      return true
    },
    close: () => db.close(),
  }
}
