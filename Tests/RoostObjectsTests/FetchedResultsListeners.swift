// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// Records its notifications.
final class Listener: FetchedResultsControllerDelegate {
  var told: [String] = []

  func controllerWillChangeContent(_ controller: FetchedResultsController<Employee>) {
    told.append("will \(controller.fetchedObjects?.count ?? -1)")
  }

  func controller(
    _ controller: FetchedResultsController<Employee>,
    didChange section: FetchedResultsSection<Employee>, atSectionIndex index: Int,
    for type: FetchedResultsChangeType
  ) {
    told.append("\(type) section \(section.name) \(index)")
  }

  func controller(
    _ controller: FetchedResultsController<Employee>, didChange employee: Employee,
    at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    func text(_ path: IndexPath?) -> String { path.map { "\($0[0]).\($0[1])" } ?? "-" }
    told.append("\(type) \(employee.name) \(text(indexPath)) \(text(newIndexPath))")
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<Employee>) {
    told.append("did \(controller.fetchedObjects?.count ?? -1)")
  }
}

/// Implements the snapshot callback only.
final class SnapshotListener: FetchedResultsControllerDelegate {
  var snapshots: [FetchedResultsSnapshot] = []
  var others = 0

  func controller(
    _ controller: FetchedResultsController<Employee>,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) { snapshots.append(snapshot) }

  func controllerWillChangeContent(_ controller: FetchedResultsController<Employee>) {
    others += 1
  }
}

/// Implements the difference callback only.
final class DifferenceListener: FetchedResultsControllerDelegate {
  var differences: [CollectionDifference<ObjectID>] = []

  func controller(
    _ controller: FetchedResultsController<Employee>,
    didChangeContentWith diff: CollectionDifference<ObjectID>
  ) { differences.append(diff) }
}

/// A list on a screen, which is changed only by the notifications of the controller.
final class ListOnScreen: FetchedResultsControllerDelegate {
  var sections: [(name: String, names: [String])] = []
  private var removedSections: [Int] = []
  private var addedSections: [(Int, String)] = []
  private var removed: [IndexPath] = []
  private var added: [(IndexPath, Employee)] = []
  private var updated: [(IndexPath, Employee)] = []

  init(_ controller: FetchedResultsController<Employee>) {
    for section in controller.sections ?? [] {
      sections.append((section.name, section.results.map(\.name)))
    }
  }

  func controller(
    _ controller: FetchedResultsController<Employee>,
    didChange section: FetchedResultsSection<Employee>, atSectionIndex index: Int,
    for type: FetchedResultsChangeType
  ) {
    if type == .delete { removedSections.append(index) }
    if type == .insert { addedSections.append((index, section.name)) }
  }

  func controller(
    _ controller: FetchedResultsController<Employee>, didChange employee: Employee,
    at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    if type == .update, let indexPath { updated.append((indexPath, employee)) }
    if type == .delete || type == .move, let indexPath { removed.append(indexPath) }
    if type == .insert || type == .move, let newIndexPath { added.append((newIndexPath, employee)) }
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<Employee>) {
    for (path, employee) in updated { sections[path[0]].names[path[1]] = employee.name }
    for path in removed.sorted(by: >) { sections[path[0]].names.remove(at: path[1]) }
    for index in removedSections.sorted(by: >) { sections.remove(at: index) }
    for (index, name) in addedSections.sorted(by: { $0.0 < $1.0 }) {
      sections.insert((name, []), at: index)
    }
    for (path, employee) in added.sorted(by: { $0.0 < $1.0 }) {
      sections[path[0]].names.insert(employee.name, at: path[1])
    }
    (removedSections, addedSections, removed, added, updated) = ([], [], [], [], [])
  }
}

/// Implements no callback.
final class DeafListener: FetchedResultsControllerDelegate {
  typealias ResultType = Employee
}
