// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostObjects
import Synchronization

/// Finds the classes that a model names. A class is looked up by its name qualified with its module's. Models name
/// the module or omit it: then the module is that of the code that opens the model, or of code that opened one
/// before.
enum ClassNames {
  private static let modules = Mutex<[String]>([])

  /// Sets the classes of the entities of a model that is not in use, by their names.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - fileID: The file that opens it, `Module/File.swift`, or a type, `Module.Type`.
  static func find(in model: ManagedObjectModel, from fileID: String) {
    let module = String(fileID.prefix { $0 != "/" && $0 != "." })
    let modules = modules.withLock { known in
      known.removeAll { $0 == module }
      known.insert(module, at: 0)
      return known
    }
    ValidationErrors.translate { foundationError($0, in: $1.managedObjectContext) }
    PropertyListCodec.register()
    guard (try? model.checkEditable()) != nil else { return }
    PropertyListCodec.install(in: model)
    for entity in model.entities where entity.managedObjectClass == nil {
      let name = entity.ownClassName
      guard let found = objectClass(named: name, in: modules) else { continue }
      entity.managedObjectClass = found
      entity.ownClassName = name
    }
  }

  /// Registers the entities of a model's classes, if the model is now in use: a model that was refused may be changed
  /// at any time, so its entities must not be used.
  static func note(_ model: ManagedObjectModel) {
    if (try? model.checkEditable()) == nil { ClassEntities.note(model) }
  }

  /// Adds the module whose resources contain a model to those in which classes are looked up (B359).
  ///
  /// - Parameter url: The model, or the bundle. The package manager names the resource bundle of a module
  ///   `Package_Module.resources`; a framework is named like its module.
  static func noteModule(ofResource url: URL) {
    let bundles = ["resources", "bundle", "framework"]
    var folder = url
    while folder.pathComponents.count > 1, !bundles.contains(folder.pathExtension) {
      folder.deleteLastPathComponent()
    }
    let name = folder.deletingPathExtension().lastPathComponent
    guard bundles.contains(folder.pathExtension), !name.isEmpty else { return }
    let module = name.split(separator: "_").last.map(String.init) ?? name
    modules.withLock { known in
      if !known.contains(module) { known.append(module) }
    }
  }

  // MARK: - Classes by name

  private static func objectClass(named name: String, in modules: [String]) -> ManagedObject.Type? {
    guard !name.isEmpty, name != "NSManagedObject", name != "ManagedObject" else { return nil }
    if name.contains("."), let found = NSClassFromString(name) as? ManagedObject.Type {
      return found
    }
    let short = name.split(separator: ".").last.map(String.init) ?? name
    for module in modules {
      if let found = NSClassFromString("\(module).\(short)") as? ManagedObject.Type { return found }
    }
    return nil
  }
}
