// SPDX-License-Identifier: Apache-2.0

/// Stands for this module where another one exports its members and none of its types.
///
/// ```swift
/// @_exported public import enum RoostMigration.RoostMigrationModule
/// ```
public enum RoostMigrationModule {}
