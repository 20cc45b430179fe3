// Loaded into a server whose memory is watched (`node --import`): tells whoever started it what is in use after a full
// collection. It keeps the process from nothing.

import { answerQuestions, liveBytes } from './talk.ts'

answerQuestions({ weigh: liveBytes })
process.channel?.unref()
