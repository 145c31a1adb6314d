// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

extension AtomicSave {
  /// Notes who has finished, for the decider to forget the decision (step 5 of X3).
  func acknowledge(_ finished: [ChangeSetSplit.Part], _ ticket: SaveTicket) {
    let isWhole = finished.count == participants.count
    var participants = finished.map(\.store).filter(\.isDurable).map(\.identity.identifier)
    if !isWhole, self.participants.contains(where: { !$0.store.isDurable }) {
      return decider.store.saves.keepRegistration()
    }
    // Where nobody but this coordinator could ask, it says so by itself.
    if ticket.participants.isEmpty { participants = [""] }
    decider.store.saves.acknowledge(
      participants.map { SaveAcknowledgement(save: ticket.id, participant: $0) })
  }
}
